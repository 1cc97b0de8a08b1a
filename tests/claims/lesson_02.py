"""What lesson 02, Bytes, words, BPE, says."""

from claim import after

import gpt1lib as g
from gpt1course import viz
from gpt1course.exercises import lesson02 as lesson
from gpt1lib.bpe import characters


@after("cell-007")
def the_text_says_38_8_and_11(rows):
    assert [len(r) for r in rows] == [38, 8, 11]


@after("cell-009")
def new_are_2_percent_of_the_running_words_14_percent_of_the_different(running, different):
    assert round(running, 2) == 0.02
    assert round(different, 2) == 0.14


@after("cell-009")
def the_names_come_first(new):
    assert set(new[:4]) == {"tilney", "morland", "thorpe", "allen"}


@after("cell-015")
def pieces_are_nearly_as_few_as_words(ids, asked):
    assert len(ids) < 1.1 * asked.total()


@after("cell-012")
def all_but_sea_take_more_bytes_than_they_have_characters():
    assert [len(s.encode()) for s in ("sea", "naïve", "日", "🙂")] == [3, 6, 3, 4]


@after("cell-012")
def any_text_is_made_of_the_same_256():
    assert max("naïve 日 🙂".encode()) < 256


@after("cell-015")
def the_text_says_4_3_characters_per_piece(heldout, ids):
    assert round(len(heldout) / len(ids), 1) == 4.3


@after("cell-015")
def plain_english_a_byte_per_character(heldout):
    assert heldout.isascii()


@after("cell-015")
def the_text_says_92_356_running_words_6_037_different_ones(asked):
    assert asked.total() == 92_356
    assert len(asked) == 6_037


@after("cell-023")
def e_s_nine_times(toy_pairs):
    assert toy_pairs["e", "s"] == toy_pairs["s", "t</w>"] == 9


@after("cell-026")
def t_h_is_the_most_frequent_pair_e_the_most_frequent_letter(common, letters):
    assert common[0] == ("t", "h")
    assert letters.most_common(1)[0][0] == "e"


@after("cell-026")
def the_text_says_197_000_words(emma_counts):
    assert round(emma_counts.total(), -3) == 197_000


@after("cell-037")
def lo_w_is_7th_and_lo_w_12th(toy_merges):
    assert toy_merges[6] == ("lo", "w</w>")
    assert toy_merges[11] == ("lo", "w")
    assert toy_merges[0] == ("e", "s")


@after("cell-037")
def newest_in_six_merges_low_in_seven(toy_merges):
    assert "".join(toy_merges[5]) == "newest</w>"


@after("cell-046")
def words_and_endings_come_early(made):
    assert {"to</w>", "the</w>", "and</w>", "of</w>", "er</w>", "ed</w>", "ing</w>"} <= {
        *made[:24]
    }


@after("cell-039")
def your_loop_learns_the_same(slow, emma_merges):
    assert slow == emma_merges[:30]


@after("faster-3")
def all_three_learn_the_same(learners, emma_counts, slow):
    assert all(learner(dict(emma_counts), 30) == slow for learner in learners.values())


@after("cell-046")
def among_the_40_commonest_words_and_signs(emma_counts):
    assert "emma" in [w for w, _ in emma_counts.most_common(40)]


@after("cell-046")
def the_text_says_7_118_words(emma_counts):
    assert len(emma_counts) == 7118


@after("cell-046")
def the_10_ing_12_emma_116_handsome_1_342(made):
    assert [made.index(p) + 1 for p in ("the</w>", "ing</w>", "emma</w>", "handsome</w>")] == [
        10,
        12,
        116,
        1342,
    ]


@after("cell-046")
def fewer_than_forty_words_are_whole_before_her(emma_counts, made):
    assert (
        sum(p.removesuffix("</w>") in emma_counts for p in made[:115] if p.endswith("</w>"))
        < 40
    )


@after("cell-046")
def no_lighthouse_in_emma(emma_counts):
    assert "lighthouse" not in emma_counts


@after("cell-051")
def four_fifths_of_the_text(often, emma_counts):
    share = sum(often) / emma_counts.total()
    assert 0.8 < share < 0.85


@after("cell-051")
def seven_make_no_difference_three_are_worse(gains):
    assert sum(x == 0 for x in gains.values()) == 7
    assert sorted(gains.values())[:3] == [-1621, -1401, -901]


@after("cell-051")
def no_difference_the_same_pieces(frequent, gains):
    races = {
        pair: viz.explorers.merge_race(frequent, 40, [(0, *pair)])[0]
        for pair in [*gains, ("t", "h")]
    }
    pieces_of = {pair: {"".join(merge) for merge in race} for pair, race in races.items()}
    assert all((pieces_of[p] == pieces_of["t", "h"]) == (x == 0) for p, x in gains.items()), (
        "no difference: the same pieces"
    )
    assert "".join(races["t", "h"][4]) == "the</w>", "by the rule the is whole in five merges"


@after("cell-051")
def only_h_e_is_better_by_255_of_343_290(gains, by_rule):
    assert {p for p, x in gains.items() if x > 0} == {("h", "e")}
    assert gains["h", "e"] == 255
    assert by_rule == 343_290


@after("cell-060")
def li_gh_thou_se(cut_word, ranks):
    assert cut_word("lighthouse", ranks) == ["li", "gh", "thou", "se</w>"]


@after("cell-060")
def un_happiness(cut_word, ranks):
    assert cut_word("unhappiness", ranks) == ["un", "happiness</w>"]


@after("cell-060")
def care_lessness(cut_word, ranks):
    assert cut_word("carelessness", ranks) == ["care", "lessness</w>"]


@after("cell-060")
def light_and_house_are_pieces(novelist):
    assert "light" in novelist.bpe.encoder
    assert "house</w>" in novelist.bpe.encoder


@after("cell-060")
def daughter_is_one(cut_word, ranks):
    assert cut_word("daughter", ranks) == ["daughter</w>"]


@after("cell-065")
def the_text_says_876_of_6_037_words(other, asked):
    assert len(other) == 876
    assert len(asked) == 6_037


@after("cell-065")
def yours_cuts_every_word_as_the_library_does(novelist, by_rank, asked):
    assert all(novelist.bpe.tokenize_word(word) == by_rank[word] for word in asked)


@after("cell-063")
def un_read_r_er_ead(cut_word, ranks):
    assert cut_word("unread", ranks) == ["un", "read</w>"]
    assert cut_word("reread", ranks) == ["r", "er", "ead</w>"]


@after("cell-065")
def light_house_and_an_alarming_that_falls_into_four(cut_longest):
    assert cut_longest("lighthouse") == ["light", "house</w>"]
    assert len(cut_longest("alarming")) == 4


@after("cell-072")
def no_capitals_spaces_before_punctuation(back):
    assert back == "mr. knightley - - he 's here !"


@after("cell-072")
def the_apostrophe_and_the_sign_find_their_places_again(back):
    assert g.text.tidy(back).endswith("he's here!")


@after("cell-075")
def naive_is_one_token_there_the_japanese_is_unknown(released):
    assert "naïve</w>" in released["rows"][1]["pieces"]
    assert released["rows"][3]["ids"].count(0) == 5


@after("cell-075")
def the_novelist_knows_no_i(novelist):
    assert "<unk>" in novelist.bpe.pieces(novelist.bpe.encode("naïve"))


@after("cell-078")
def every_byte_has_a_character():
    assert len({bytes([b]).decode("latin-1") for b in range(256)}) == 256


@after("count-1")
def the_text_says_59_characters_8_120_and_40_478_tokens(novelist, n_characters, n_merges):
    assert (n_characters, n_merges) == (59, 8000)
    assert lesson.vocabulary_size(59, 8000) == novelist.bpe.n_vocab == 8120
    assert lesson.vocabulary_size(238, 40_000) == g.GPT1.n_vocab == 40_478


@after("cell-075")
def the_text_says_238_characters_and_40_000_merges(released):
    assert released["n_vocab"] == g.GPT1.n_vocab
    assert released["n_characters"] == 238
    assert released["n_merges"] == 40_000


@after("count-1")
def the_newline_is_last(novelist):
    assert novelist.bpe.newline == 8119


@after("cell-094")
def tokens_get_harder_to_guess_every_time(per_token):
    assert list(per_token[2].values()) == sorted(per_token[2].values())
    assert list(per_token[1].values()) == sorted(per_token[1].values())


@after("cell-094")
def the_single_pieces_flatten_every_step_helps_the_last_one_least(singles):
    assert singles == sorted(singles, reverse=True)
    assert singles[-2] - singles[-1] < 0.25 < singles[2] - singles[3]


@after("cell-094")
def the_pairs_turn_2_07_with_2_000_merges_2_20_with_all(doubles):
    assert round(doubles[3], 2) == 2.07
    assert round(doubles[4], 2) == 2.20
    assert min(doubles) == doubles[3]


@after("cell-094")
def from_4_to_9_bits_per_token(per_token, sizes):
    assert round(per_token[2][0]) == 4
    assert round(per_token[2][sizes[-1]]) == 9


@after("cell-094")
def with_the_last_of_five_numbers_every_word_of_the_training_text_is_whole(
    tables, sizes, part_counts
):
    assert len(sizes) == 5 and sizes[0] == 0
    assert all(len(tables[sizes[-1]][w]) == 1 for w in part_counts)


@after("cell-094")
def the_text_says_84_percent_of_the_pieces_fewer_than_ten_times(rare, sizes):
    assert round(rare[sizes[-1]], 2) == 0.84


@after("cell-096")
def the_text_says_31_087_104_numbers_in_gpt_1s_table():
    assert g.GPT1.n_vocab * g.GPT1.n_embd == 31_087_104


@after("cell-098")
def so_is_learn(learn, toy):
    assert learn(toy, 12) == g.bpe.learn_merges(toy, 12)


@after("cell-098")
def your_merge_pair_is_the_library_s(merge_pair):
    long = characters("banana-mississippi")
    for pair in (("a", "n"), ("s", "s"), ("i", "s")):
        assert merge_pair(long, pair) == g.bpe.merge_pair(long, pair)


@after("cell-100")
def three_tokens(real):
    assert real["ids"] == [12823, 6804, 544]


@after("cell-100")
def their_ends_are_marked(real):
    assert all(p.endswith("</w>") for p in real["pieces"])


@after("cell-004")
def gpt_1_has_478_tokens_that_are_no_merges():
    assert g.GPT1.n_vocab - 40_000 == 478


@after("cell-044")
def emma_allows_11_076_merges_and_no_more(emma_counts):
    assert len(g.bpe.learn_merges(emma_counts, 40_000)) == 11_076


@after("cell-065")
def the_words_that_are_cut_differently_are_mostly_rare(other, asked):
    assert sum(asked[word] for word in other) < 0.02 * asked.total()
    assert sum(asked[word] <= 2 for word in other) > len(other) / 2
