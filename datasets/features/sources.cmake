set(TARE_DATASETS_FEATURES_SOURCES
  features/feature_frames.c features/feature_levels.c features/feature_mel.c features/feature_norm.c
  features/feature_spec.c features/feature_spectrum.c features/feature_window.c features/features.c)
