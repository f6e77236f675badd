"""minijax: arrays, compiled programs, derivatives, with JAX's programming model.

A guided tour. Write a function of arrays with `minijax.numpy`, then transform it:

>>> import minijax as mj, minijax.numpy as jnp
>>> def loss(w, x):
...     return jnp.sum(jnp.tanh(x @ w) ** 2)
>>> gradient = mj.grad(loss)                       # another function
>>> fast = mj.jit(gradient)                        # compiled at its first call
>>> many = mj.vmap(fast, in_axes=(None, 0))        # mapped over a leading axis
>>> many(jnp.ones(3), jnp.ones((5, 2, 3))).shape
(5, 3)

What happens inside is written in the order of the floors: `tree` (pytrees), `core`
(types, traces, programs), `interpreters` (ad, batching, partial evaluation),
`lowering` (program -> StableHLO), `runtime` (arrays, devices, caches), `lax` (the
primitives), `transforms` (jit, grad, vmap), and the libraries `numpy`, `random`, `nn`.
"""

from . import base  # isort: skip  (first: it refuses a process that cannot work)

# What is imported here stays: the collector would walk it again and again for nothing.
with base.collector_paused:
    from . import (
        ad,
        core,
        debug,
        dtypes,
        errors,
        lax,
        numpy,
        ref,
        stages,
        tree,
        tree_util,
    )
    from .base import config
    from .base.flags import (
        check_tracer_leaks,
        checking_leaks,
        debug_infs,
        debug_nans,
        default_device,
        default_matmul_precision,
        enable_checks,
        enable_x64,
        explain_cache_misses,
        log_compiles,
        make_user_context,
        no_execution,
        no_tracing,
        numpy_dtype_promotion,
        numpy_rank_promotion,
        transfer_guard,
        transfer_guard_device_to_device,
        transfer_guard_device_to_host,
        transfer_guard_host_to_device,
    )
    from .base.flags import without_jit as disable_jit
    from .base.util import lazy_modules as _lazy_modules
    from .core import (
        Ref,
        ShapeDtypeStruct,
        ensure_compile_time_eval,
        named_call,
        named_scope,
        typeof,
    )
    from .dtypes import float0
    from .lax import device_put, empty_ref, free_ref, freeze, new_ref
    from .numpy import ds
    from .runtime import (
        Array,
        Shard,
        block_until_ready,
        caches,
        clear_caches,
        default_backend,
        device_count,
        device_get,
        devices,
        effects_barrier,
        local_device_count,
        local_devices,
        process_count,
        process_index,
    )
    from .transforms import (
        checkpoint,
        checkpoint_policies,
        closure_convert,
        custom_gradient,
        custom_jvp,
        custom_vjp,
        eval_shape,
        explain,
        fwd_and_bwd,
        grad,
        hessian,
        jacfwd,
        jacobian,
        jacrev,
        jit,
        jvp,
        linear_transpose,
        linearize,
        make_jaxpr,
        pure_callback,
        remat,
        value_and_grad,
        vjp,
        vmap,
    )

    base.take_all_for_old()

# Loaded on first use: a program that draws no random numbers does not pay for them.
__getattr__ = _lazy_modules(__name__, ("nn", "random"))
__version__ = base.VERSION

__all__ = [
    "Array",
    "Ref",
    "ShapeDtypeStruct",
    "Shard",
    "__version__",
    "ad",
    "block_until_ready",
    "caches",
    "check_tracer_leaks",
    "checking_leaks",
    "checkpoint",
    "checkpoint_policies",
    "clear_caches",
    "closure_convert",
    "config",
    "core",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "debug",
    "debug_infs",
    "debug_nans",
    "default_backend",
    "default_device",
    "default_matmul_precision",
    "device_count",
    "device_get",
    "device_put",
    "devices",
    "disable_jit",
    "ds",
    "dtypes",
    "effects_barrier",
    "empty_ref",
    "enable_checks",
    "enable_x64",
    "ensure_compile_time_eval",
    "errors",
    "eval_shape",
    "explain",
    "explain_cache_misses",
    "float0",
    "free_ref",
    "freeze",
    "fwd_and_bwd",
    "grad",
    "hessian",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "lax",
    "linear_transpose",
    "linearize",
    "local_device_count",
    "local_devices",
    "log_compiles",
    "make_jaxpr",
    "make_user_context",
    "named_call",
    "named_scope",
    "new_ref",
    "nn",
    "no_execution",
    "no_tracing",
    "numpy",
    "numpy_dtype_promotion",
    "numpy_rank_promotion",
    "process_count",
    "process_index",
    "pure_callback",
    "random",
    "ref",
    "remat",
    "stages",
    "transfer_guard",
    "transfer_guard_device_to_device",
    "transfer_guard_device_to_host",
    "transfer_guard_host_to_device",
    "tree",
    "tree_util",
    "typeof",
    "value_and_grad",
    "vjp",
    "vmap",
]
