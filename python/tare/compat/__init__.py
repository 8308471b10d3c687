"""Drop-in replacements for scripts that were written for other calibrators.

``tare.compat.tensorrt`` has the base classes of TensorRT's calibrators, ``tare.compat.onnxruntime``
what ONNX Runtime's scripts for static quantization import.
"""
