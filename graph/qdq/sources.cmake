# Sources of quantized models, relative to graph/. Targets are rows.
tare_family(TARE_GRAPH_QDQ_TARGETS ${CMAKE_CURRENT_LIST_DIR}/targets/targets.inc qdq/targets/target_ID.c)
set(TARE_GRAPH_QDQ_SOURCES
  qdq/correct_biases.c qdq/edit.c qdq/edit_uses.c qdq/export.c qdq/qdq_version.c qdq/file_types.c qdq/fold_norms.c qdq/onnx_file.c qdq/onnx_save.c qdq/place.c qdq/place_bytes.c
  qdq/place_layer.c qdq/place_query.c qdq/place_residual.c qdq/place_rounding.c qdq/prepare.c qdq/raise.c qdq/settle.c qdq/settle_message.c qdq/targets/target.c qdq/write.c qdq/write_dynamic.c qdq/write_scale.c qdq/write_smoothed.c
  qdq/undo/import.c qdq/undo/spread.c qdq/undo/spread_dynamic.c qdq/undo/spread_integers.c
  qdq/undo/spread_move.c
  qdq/undo/spread_qlinear.c qdq/undo/undo.c qdq/undo/undo_constants.c qdq/undo/undo_pairs.c qdq/undo/undo_table.c
  qdq/write_weights.c
  ${TARE_GRAPH_QDQ_TARGETS})
