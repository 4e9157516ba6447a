# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import jax
from batchpeak_trial import serve

keys = jax.random.split(jax.random.key(1), 4)
weights = [
    jax.random.normal(keys[0], (256, 1024)) / 16,
    jax.random.normal(keys[1], (1024, 10)) / 32,
]


def loss_of(weights, inputs, targets):
    logits = jax.nn.gelu(inputs @ weights[0]) @ weights[1]
    return -jax.numpy.take_along_axis(jax.nn.log_softmax(logits), targets, 1).mean()


gradients_of = jax.jit(jax.grad(loss_of))


@jax.jit
def updated(weights, gradients):
    return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients)


def step(micro_batch_size):
    global weights
    inputs = jax.random.normal(keys[2], (micro_batch_size, 256))
    targets = jax.random.randint(keys[3], (micro_batch_size, 1), 0, 10)
    # Compiles in the first step of each size, which is part of the warm-up.
    gradients = jax.block_until_ready(gradients_of(weights, inputs, targets))
    yield "backward"  # forward and backward are one call
    weights = jax.block_until_ready(updated(weights, gradients))


serve(
    step,
    parameters=sum(w.size for w in weights),
    framework="jax " + jax.__version__,
)
