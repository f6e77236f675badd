"""Samples of the primitives behind random numbers. Keys travel as u32[2] words."""

from tests.samples.declaring import Sample, i32, u32

KEY = u32(0, 42)
OTHER = u32(7, 11)


def _wrapped(use):
    return lambda J, words, *rest: use(J, J.random.wrap_key_data(words), *rest)


SAMPLES = (
    Sample(
        "threefry2x32",
        lambda J, words, counts: J.extend.random.threefry_2x32(words, counts),
        (KEY, u32(0, 1, 2, 3)),
    ),
    Sample(
        "random_seed",
        lambda J, seed: J.random.key_data(J.random.key(seed)),
        (i32(3),),
        others=(i32(-1),),
    ),
    Sample("random_wrap", _wrapped(lambda J, key: J.random.key_data(key)), (KEY,)),
    Sample("random_unwrap", _wrapped(lambda J, key: J.random.key_data(key)), (OTHER,)),
    Sample(
        "random_split",
        _wrapped(lambda J, key: J.random.key_data(J.random.split(key, 3))),
        (KEY,),
    ),
    Sample(
        "random_fold_in",
        _wrapped(lambda J, key, n: J.random.key_data(J.random.fold_in(key, n))),
        (KEY, u32(5)),
        others=(OTHER, u32(6)),
    ),
    Sample("random_bits", _wrapped(lambda J, key: J.random.bits(key, (3,))), (KEY,)),
    Sample(
        "random_bits",
        _wrapped(lambda J, key: J.random.bits(key, (2, 2), "uint8")),
        (KEY,),
        "narrow",
    ),
)
