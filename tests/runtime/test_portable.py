import gc
import threading
import weakref

import numpy as np

from minijax import lax
from minijax.core import ShapedArray, stage
from minijax.lowering import lower_jaxpr_to_module
from minijax.runtime import compile_lowered, devices
from minijax.runtime.portable import PortableModule


def lowered():
    jaxpr = stage(lambda x: [lax.sin(x)], [ShapedArray((3,), np.float32)])
    return lower_jaxpr_to_module(jaxpr, name="f", for_compile=True)


def test_it_is_the_module_without_its_context():
    module = lowered()
    portable = PortableModule(module)
    assert portable.bytecode() == module.bytecode()
    assert portable.key_bytes() == module.key_bytes()
    assert portable.as_text() == module.as_text()
    assert (portable.name, portable.kept_inputs) == ("jit_f", (0,))
    assert compile_lowered(portable, devices()) is compile_lowered(module, devices())
    dead = weakref.ref(module)
    del module
    gc.collect()
    assert dead() is None


def test_it_is_compiled_in_any_thread():
    portable, made = PortableModule(lowered()), []
    thread = threading.Thread(
        target=lambda: made.append(compile_lowered(portable, devices()))
    )
    thread.start()
    thread.join()
    assert made[0] is compile_lowered(portable, devices())
