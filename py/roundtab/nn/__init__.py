"""Building blocks of models in numpy: layers, losses, optimizers, and the kernels beneath them."""
