from hypothesis import given
from hypothesis import strategies as st

from medreview.study.ids import Ulids, content_id, decode, encode


@given(st.integers(min_value=0, max_value=2**128 - 1))
def test_ulids_keep_their_number_and_its_order(number):
    assert decode(encode(number)) == number
    assert len(encode(number)) == 26
    assert (encode(number) < encode(number ^ 1)) == (number < number ^ 1)


def test_ulids_never_go_backwards_even_after_an_id_from_the_future():
    future = encode((2**48 - 2) << 80)
    ulids = Ulids()

    made = [ulids.next(future), *(ulids.next() for _ in range(1000))]

    assert [future, *made] == sorted({future, *made})


def test_two_generators_in_one_millisecond_follow_each_other_in_the_order_of_what_was_written():
    first, second = Ulids(), Ulids()
    made = [""]
    for turn in range(1000):
        made.append((first, second)[turn % 2].next(made[-1]))

    assert made == sorted(set(made))


def test_content_ids_depend_on_every_part_and_start_with_a_letter():
    assert content_id("r", "a", "b") == content_id("r", "a", "b")
    assert content_id("r", "a", "b") != content_id("r", "ab", "")
    assert content_id("r", "a")[0] == "r"
