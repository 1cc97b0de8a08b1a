"""What lesson 03, Embeddings and learned positions, says."""

import torch
import torch.nn.functional as F
from claim import after

from gpt1course.exercises import lesson03 as lesson
from gpt1lib.baselines.variants import Sinusoids

# worked out by hand: the token's row plus the position's
H0 = torch.tensor([[0.2, 0.0, 0.5, 0.2], [0.9, 0.4, -0.3, 0.2], [0.1, 0.6, 0.4, -0.4]])


@after("cell-015")
def the_product_picks_rows(U, W_e, looked_up):
    assert torch.equal(U @ W_e, looked_up)


@after("cell-018")
def the_product_and_the_index_agree(W_e, word_ids, U):
    table = torch.nn.Embedding.from_pretrained(W_e)
    by_index, by_module = W_e[word_ids], table(word_ids)
    assert torch.equal(U @ W_e, by_index), "the product and the index agree"
    assert torch.equal(by_module, by_index), "the module agrees, too"


@after("cell-020")
def a_row_has_the_cosine_1_with_itself(toy_cosines):
    assert torch.allclose(toy_cosines.diagonal(), torch.ones(5))


@after("cell-030")
def she_then_he_they_her(bpe, near_she):
    assert bpe.pieces(near_she.topk(4).indices.tolist()) == [
        "she</w>",
        "he</w>",
        "they</w>",
        "her</w>",
    ]


@after("cell-030")
def woman_0_18(near_she, bpe):
    assert abs(near_she[bpe.token_to_id("woman</w>")] - 0.18) < 0.005


@after("king-2")
def king_is_nearest_to_ked_and_queen_is_fourth(bpe, royal):
    pieces = bpe.pieces(royal.tolist())
    assert pieces[0] == "ked</w>" and pieces[3] == "queen</w>"


@after("cell-030")
def sums_of_rows_find_her_and_not_queen(cosines_to, vector, bpe):
    sums = {w: cosines_to(vector(w) - vector("he") + vector("she")) for w in ("king", "his")}
    assert int(sums["king"].argmax()) == bpe.token_to_id("king</w>"), "the sum stays at king"
    assert bpe.pieces(sums["king"].topk(3).indices.tolist())[2] == "queen</w>", (
        "queen comes third"
    )
    assert int(sums["his"].argmax()) == bpe.token_to_id("her</w>"), "his becomes her"


@after("cell-030")
def was_becomes_were(cosines_to, vector, bpe):
    were = cosines_to(vector("was") - vector("is") + vector("are"))
    assert int(were.argmax()) == bpe.token_to_id("were</w>")


@after("cell-035")
def all_five_end_with_the_same_token(bpe, same_token):
    assert len({bpe.encode(text)[-1] for text in ("the king", *same_token)}) == 1
    assert len(same_token) == 4


@after("cell-035")
def the_word_and_the_ending_are_told_apart(same_token):
    words, endings = (
        [same_token[x] for x in pair]
        for pair in (("my king", "old king"), ("cooking", "attacking"))
    )
    assert min(words) > 0.8 > 0.7 > max(endings)


@after("cell-040")
def the_text_says_11_percent_on_2_axes_all_on_256(shares):
    assert abs(shares[2] - 0.11) < 0.01
    assert shares[256] > 0.99


@after("cell-040")
def the_text_says_2_axes_hold_an_eighth_of_the_spread(centered, widest):
    spread = (centered @ widest.T).var(dim=0)  # (C,)
    assert abs(spread[:2].sum() / spread.sum() - 1 / 8) < 0.005


@after("cell-050")
def yours_are_the_rows_with_a_gradient(rows_that_learn, batch, learns):
    assert torch.equal(rows_that_learn(batch), learns.nonzero()[:, 0])


@after("cell-050")
def tied_all_rows_learn(moved):
    assert moved.all()


@after("cell-052")
def hardly_ever(read, tales):
    assert read < 1e-4 * len(tales)


@after("cell-060")
def by_hand_the_same(h0):
    assert torch.allclose(h0, H0)


@after("cell-066")
def the_means_agree_the_dogs_do_not(means_apart, dog_moved):
    assert means_apart < 1e-6
    assert dog_moved > 0.1


@after("cell-069")
def more_than_a_nat(worth):
    assert all(1 < worth[name] - worth["as trained"] < 1.6 for name in ("none", "backward"))


@after("cell-071")
def the_curve_of_position_10_drops_to_0_7_then_has_a_hill_and_is_near_minus_0_5_at_150(alike):
    assert abs(alike[10, [9, 11]] - 0.7).max() < 0.05, "at once to about 0.7"
    assert alike[10, 1:25].min() > 0.5 > 0.1 > alike[10, 60], "then a broad hill"
    assert abs(alike[10, 160] + 0.5) < 0.05


@after("cell-071")
def each_at_each(alike):
    for d, mean in ((1, 0.66), (5, 0.65), (150, -0.44), (240, 0.05)):
        assert abs(alike.diagonal(d).mean() - mean) < 0.006, f"{mean} at {d}"


@after("cell-080")
def row_255_is_like_no_other(W_pos):
    others = F.cosine_similarity(W_pos[:255], W_pos[255][None])
    assert others.abs().max() < 0.15


@after("cell-080")
def row_255_is_as_it_began(W_pos, untrained):
    assert F.cosine_similarity(W_pos[255], untrained[255], dim=0) > 0.9999


@after("cell-080")
def the_text_says_4_percent_shorter(W_pos, untrained):
    assert abs(W_pos[255].norm() / untrained[255].norm() - 0.96) < 0.005


@after("cell-086")
def the_librarys_are_the_same(sinusoids):
    assert torch.allclose(sinusoids(256, 256), Sinusoids(256, 256).table, atol=1e-4)


@after("cell-089")
def of_the_waves_the_distance_decides(wave_dots, learned_dots):
    assert wave_dots.diagonal(5).std() < 1e-3
    assert learned_dots.diagonal(5).std() > 1e-2


@after("cell-089")
def the_text_says_0_97_beside_never_below_0_28(wave_dots):
    wave_cosines = wave_dots / 128  # each row is sqrt(128) long
    assert abs(wave_cosines[0, 1] - 0.97) < 0.005
    assert wave_cosines.min() > 0.275
    assert (wave_cosines[0, :6].diff() > -0.1).all(), "smoothly, with no drop beside it"


@after("cell-071")
def the_learned_ones_turn_away(alike):
    # all but row 255
    assert alike.diagonal(150)[:-1].max() < 0


@after("cell-100")
def the_text_says_31_113_216_as_told_31_480_320_in_truth():
    assert lesson.embedding_parameters(40_000, 512, 768) == 30_720_000 + 393_216 == 31_113_216
    assert 40_000 * 768 == 30_720_000
    assert lesson.embedding_parameters(40_478, 512, 768) == 31_087_104 + 393_216 == 31_480_320


@after("cell-100")
def the_positions_a_third_of_a_percent():
    assert abs(393_216 / 116_534_784 - 0.01 / 3) < 1e-4


@after("cell-100")
def the_text_says_27_percent_of_gpt_1():
    assert abs(lesson.embedding_parameters(40_478, 512, 768) / 116_534_784 - 0.27) < 0.005


@after("cell-102")
def it_is_your_function(model, austen, embed, W, W_pos):
    with torch.no_grad():
        from_library = model.embed(austen[None, :100])[0]  # (T, C)
    assert torch.equal(from_library, embed(austen[:100], W, W_pos))


@after("cell-028")
def whales_go_with_leviathans_and_people_smile_sigh_and_frown(W, bpe):
    def near(word):
        ids = lesson.nearest_rows(W, bpe.token_to_id(f"{word}</w>"), 6)
        return {piece.removesuffix("</w>") for piece in bpe.pieces(ids.tolist())}

    assert "leviathan" in near("whale") and {"sighed", "frowned"} < near("smiled")
    assert near("three") == {"four", "two", "six", "five", "seven", "eight"}


@after("cell-078")
def only_the_last_position_gets_no_gradient(taught):
    assert (~taught).nonzero()[:, 0].tolist() == [len(taught) - 1]


@after("cell-076")
def row_255_is_far_off_the_curve_and_254_about_halfway(learned_rows):
    drawn = learned_rows.places[0]  # (256, 2)
    to_254, to_255 = (((drawn[t] - drawn[253]) ** 2).sum() ** 0.5 for t in (254, 255))
    assert 0.3 < to_254 / to_255 < 0.7


@after("cell-058")
def the_first_block_is_blind_without_positions_the_second_is_not(
    last_states, W_pos, dog_today, man_today
):
    states = (last_states(ids, 0 * W_pos) for ids in (dog_today, man_today))
    apart = torch.sub(*states).norm(dim=1)
    assert apart[0] < 1e-4 < apart[1]


@after("cell-104")
def rotated_no_dimension_stays_the_same(W_e, turn):
    assert ((W_e @ turn - W_e).abs().max(dim=0).values > 0.05).all()


@after("cell-004")
def the_table_has_256_numbers_for_each_of_8_120_tokens(W, novelist, bpe):
    assert tuple(W.shape) == (8120, 256)
    assert len(novelist.meta["books"]) == 12


@after("cell-006")
def token_870_is_not_five_times_token_174(bpe):
    assert 870 == 5 * 174
    assert bpe.pieces([870, 174]) == ["whale</w>", "bu"]


@after("cell-020")
def cats_and_dogs_point_in_almost_the_same_direction_love_and_cats_do_not(toy_cosines):
    assert toy_cosines[2, 3] > 0.95
    assert toy_cosines[1, 2] < 0.5


@after("cell-018")
def a_text_of_512_would_take_16_billion_multiplications():
    assert round(512 * 40_478 * 768 / 1e9) == 16


@after("cell-033")
def king_ends_cooking_and_other_words(cut, endings):
    assert cut["cooking"][-1] == "king</w>" and endings["cooking"] > 0


@after("cell-056")
def the_means_of_two_orders_do_not_differ(difference, dog_first, man_first):
    assert difference.abs().max() < 1e-6
    assert sorted(dog_first.tolist()) == sorted(man_first.tolist()), "the same five tokens"
    assert len(dog_first) == 5


@after("cell-076")
def the_learned_rows_are_on_one_curve_roughly_in_order(learned_rows):
    drawn = learned_rows.places[0]  # (256, 2)
    apart = ((drawn[:254, None] - drawn[None, :254]) ** 2).sum(-1) ** 0.5  # (254, 254)
    # eleven rows on is farther than one, along the curve; an end is far from the other end
    steps, leaps = apart.diagonal(1), apart.diagonal(11)
    assert steps.mean() < leaps.mean() / 3
    assert apart[0, 253] > 20 * steps.mean()


@after("cell-076")
def the_rows_began_unrelated(untrained):
    unit = untrained / untrained.norm(dim=1, keepdim=True)
    cosines = unit @ unit.T - torch.eye(256)
    assert cosines.abs().max() < 0.35
    assert abs(cosines.diagonal(1).mean()) < 0.02


@after("cell-080")
def weight_decay_accounts_for_the_4_percent(novelist):
    recipe = novelist.meta["recipe"]
    rates = [line["lr"] for line in novelist.log]  # at updates evenly apart
    pulled = recipe["weight_decay"] * recipe["steps"] * sum(rates) / len(rates)
    assert abs(torch.tensor(-pulled).exp() - 0.96) < 0.005


@after("cell-093")
def there_is_no_row_256(model):
    assert model.config.n_ctx == 256 == len(model.positions.weight)


@after("cell-044")
def about_half_of_512_tokens_learn_and_a_few_are_missing(learns, batch):
    assert batch.numel() == 512
    assert 0.5 < learns.sum() / 512 < 0.56
    assert 0 < len(batch.unique()) - learns.sum() < 5


@after("cell-052")
def haps_and_a_brace_are_like_the_unknown(like_unknown, bpe):
    alike = bpe.pieces(like_unknown.tolist())
    assert {"haps</w>", "}", "<unk>"} <= set(alike)


@after("cell-052")
def near_monday_are_days_june_and_mere_pieces(W, bpe, monday):
    near = bpe.pieces(lesson.nearest_rows(W, monday, 8).tolist())
    assert {p.removesuffix("</w>") for p in near} >= {
        "wednesday",
        "tuesday",
        "saturday",
        "june",
        "fordshire",
        "yn",
        "inst",
    }


@after("cell-038")
def the_map_shows_the_words_that_the_alternative_text_names(links, beside, common):
    told = {a: {common[b] for i, b in links if common[i] == a} for a in ("three", "said")}
    assert told["three"] == {"two", "many", "few", "these", "large"}
    assert told["said"] == {"told", "asked", "cried", "replied", "thought"}
    near = {common[i] for i in beside}
    assert {"last", "first", "up"} <= near and {"never", "let", "always", "will"} <= near
    assert len(near & (told["three"] | told["said"])) <= 1, "most are no true neighbors"


@after("cell-087")
def the_first_columns_turn_fast_and_the_last_hardly_at_all(waves):
    turned = waves.diff(dim=0).abs().sum(dim=0)  # (20,)
    assert turned[:2].min() > 20 and turned[-2:].max() < 0.05


@after("cell-089")
def learned_rows_five_apart_differ(learned_dots):
    assert learned_dots.diagonal(5).max() - learned_dots.diagonal(5).min() > 0.1


@after("cell-100")
def nearly_all_embeddings_are_of_tokens():
    assert 40_478 / (40_478 + 512) > 0.98
