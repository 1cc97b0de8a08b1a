"""What the page of mistakes says."""

from claim import after


@after("cell-001")
def the_right_parts_are_those_of_the_courses_model(apart):
    assert apart < 1e-3


@after("cell-027")
def each_is_seen_by_its_own_test(failing):
    assert all(failing[i][i] for i in range(len(failing)))


@after("cell-029")
def ten_change_something_two_within_0_01(heard, bugs):
    quiet = [k for k, x in heard.items() if abs(x) < 0.01]
    assert len(heard) == 10, "ten change something, two within 0.01"
    assert len(quiet) == 2, "ten change something, two within 0.01"
    assert {bugs[k].part for k in quiet} == {"norm"}, "both are of LayerNorm, one below 0"
    assert min(heard.values()) < 0, "both are of LayerNorm, one below 0"
