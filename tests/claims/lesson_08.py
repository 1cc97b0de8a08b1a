"""What lesson 08, The whole GPT-1, says."""

import math

import torch
import torch.nn.functional as F
from claim import after

import gpt1lib as g
from gpt1course.exercises import lesson08 as lesson

# worked out by hand: what section 2 makes of the invented states
LOGITS = torch.tensor([-0.54, 0.43, 0.19, 0.19, 0.06])


PROBS = torch.tensor([0.104056, 0.274494, 0.215924, 0.215924, 0.189602])


EARLIER = torch.tensor(  # P after "I", and after "I love"
    [
        [0.088116, 0.092634, 0.383238, 0.262082, 0.17393],
        [0.203394, 0.141903, 0.303429, 0.271822, 0.079452],
    ]
)


POWERS = torch.tensor(
    [0.582748, 1.537258, 1.20925, 1.20925, 1.061837]
)  # of LOGITS; sum 5.600342


LOSSES = torch.tensor([2.379100, 1.192608])  # of "love" after "I", and of "cats" after that


@after("cell-017")
def the_text_says_2_379100_and_1_192608_by_hand_the_same(word_losses):
    assert torch.allclose(word_losses, LOSSES, atol=1e-5)


@after("cell-017")
def the_two_rows_above(all_logits):
    given = torch.tensor([[-0.34, -0.29, 1.13, 0.75, 0.34], [0.29, -0.07, 0.69, 0.58, -0.65]])
    assert torch.allclose(all_logits[:2], given, atol=1e-6)


@after("cell-017")
def a_mean_of_1_7859(word_losses):
    assert abs(word_losses.mean() - 1.7859) < 1e-4


@after("cell-017")
def their_probabilities(all_logits):
    assert torch.allclose(all_logits[:2].softmax(dim=-1), EARLIER, atol=1e-6)


@after("cell-017")
def powers_that_sum_to_5_600342(all_logits):
    assert torch.allclose(all_logits[2].exp(), POWERS, atol=1e-6)


@after("cell-011")
def logits_by_hand_the_same(logits):
    assert torch.allclose(logits[2], LOGITS, atol=1e-6)


@after("cell-011")
def and_probabilities(word_probs):
    assert torch.allclose(word_probs, PROBS, atol=1e-6)


@after("cell-021")
def tying_saves_one_table(untied, tied):
    saved = untied.count_parameters() - tied.count_parameters()
    assert saved == 50 * 16


@after("cell-023")
def the_last_token_learns_nothing_as_an_input(moved):
    assert moved == [3, 7, 12]


@after("cell-023")
def the_scores_of_she_and_he_correlate_by_0_86(bpe, model):
    near = [bpe.token_to_id(f"{w}</w>") for w in ("she", "he", "whale")]
    at = slice(20_000, 21_200)
    novel = g.corpus.read_books(g.paths.HELDOUT_BOOKS)["austen_northanger_abbey"]
    with torch.no_grad():
        scored = model(torch.tensor([bpe.encode(novel[at])[:200]]))[0, :, near]
    together = torch.corrcoef(scored.T)[0]
    assert abs(together[1] - 0.86) < 0.006
    assert abs(together[2] + 0.46) < 0.006, "she and whale"


@after("cell-023")
def she_beside_he_and_they(model, bpe):
    unit = F.normalize(model.tokens.weight.detach(), dim=1)
    she = bpe.pieces((unit @ unit[bpe.token_to_id("she</w>")]).topk(3).indices.tolist())
    assert she == ["she</w>", "he</w>", "they</w>"]


@after("cell-025")
def ranks_and_best_guesses_among_old_friends(bpe, model):
    friends = torch.tensor(
        bpe.encode("The old man and the sea were old friends of the captain")
    )
    with torch.no_grad():
        friend_logits = model(friends[None])[0]  # (T, V)
    own = friend_logits.gather(1, friends[:, None])
    ranks = ((friend_logits > own).sum(dim=1) + 1)[friends == bpe.token_to_id("the</w>")]
    rank_of = int((friend_logits > own).sum(dim=1)[friends == bpe.token_to_id("of</w>")]) + 1
    assert int(ranks.min()) == 857, "857 or worse, and 612"
    assert rank_of == 612, "857 or worse, and 612"
    at_sea = friends == bpe.token_to_id("sea</w>")
    assert int((friend_logits > own).sum(dim=1)[at_sea][0]) + 1 == 18, "sea after sea"
    named = bpe.pieces(friend_logits.argmax(dim=1).tolist())
    after_words = [
        p
        for p, w in zip(named, bpe.pieces(friends.tolist()), strict=True)
        if w in ("and</w>", "were</w>", "of</w>")
    ]
    assert after_words == ["the</w>"] * 3, "the is the best after and, were, of"
    assert named[4] == named[10] == "old</w>", "old after the, man after old"
    assert named[1] == "man</w>", "old after the, man after old"


@after("cell-023")
def the_text_says_2_078_720_numbers(model):
    assert model.tokens.weight.numel() == 2_078_720


@after("cell-035")
def three_columns_are_768_and_2_304_parameters(W_y):
    assert W_y.numel() == 768
    assert g.GPT1.n_embd * 3 == 2_304


@after("cell-040")
def this_is_the_librarys_model(by_hand, library):
    assert torch.allclose(by_hand, library, atol=1e-4)


@after("cell-046")
def the_right_states_are_the_pages(right, by_hand):
    assert torch.allclose(right["logits"], by_hand, atol=1e-4)


@after("cell-048")
def the_text_says_0_01_0_15_0_86_1_21_and_0_48_nats(page_losses):
    extra = [round(page_losses[name] - page_losses[""], 2) for name in lesson.FAULTS]
    assert extra == [0.01, 0.15, 0.86, 1.21, 0.48]


@after("cell-048")
def a_and_e_name_the_same_best_word(copies, by_hand):
    best = {
        name: int(copies[name]["logits"][-1].argmax()) == int(by_hand[-1].argmax())
        for name in copies
    }
    assert best == {"A": True, "B": False, "C": False, "D": False, "E": True}


@after("cell-048")
def neighboring_rows_of_w_p_are_similar(model):
    rows = model.positions.weight.detach()
    assert F.cosine_similarity(rows[1:], rows[:-1]).mean() > 0.6


@after("cell-061")
def no_mask_the_same(unmasked, right):
    assert torch.allclose(unmasked, right["block 0 attention"], atol=1e-5)


@after("cell-061")
def minus_1e9_leaves_no_weight_either(right, ids):
    never = right["block 0 scores"].masked_fill(~g.causal_mask(len(ids)), -1e9).softmax(dim=-1)
    assert torch.equal(never, right["block 0 weights"])


@after("cell-063")
def the_same_text(bpe, stored, ids):
    assert bpe.encode(stored["text"]) == ids.tolist()


@after("cell-063")
def h_0_is_the_same(table):
    whole = [name for name in table if "8 bits" not in name]
    assert all(table[n]["h0"] == 0 for n in whole), "h_0 is the same"
    assert all(3e-6 < table[n]["logits"] < 4e-5 for n in whole), "about 1e-5 in all"


@after("cell-063")
def the_text_says_0_2_with_8_bits(table, stored):
    packed = [name for name in table if "8 bits" in name]
    assert all(0.15 < table[n]["logits"] < 0.3 for n in packed), "0.2 with 8 bits"
    rounded = [stored["columns"][n]["rounded"]["logits"] for n in packed]
    assert max(rounded) < 4e-5, "1e-5 again on rounded weights"


@after("cell-068")
def javascript_5_times_closer_than_torch_here(off):
    js, wasm = off["JavaScript, float32"]["logits"], off["WebAssembly, float32"]["logits"]
    assert 5 * js < off["torch, float32"]["logits"], "JavaScript 5 times closer than torch here"
    assert js < wasm < off["torch, float32"]["logits"], "WebAssembly in between"


@after("cell-068")
def and_10_times_on_others(others):
    assert 10 * others["JavaScript, float32"]["exact"] < others["torch, float32"]["exact"]


@after("cell-068")
def numpy_in_float64_to_13_digits(off):
    assert off["numpy, float64"]["logits"] < 1e-12


@after("cell-068")
def numpy_in_float32_about_as_far_off_as_torch(off):
    torch_s, numpy_s = (off[f"{name}, float32"]["logits"] for name in ("torch", "numpy"))
    assert torch_s / 3 < numpy_s < 3 * torch_s, "numpy in float32 about as far off as torch"
    closer = [
        off[name]["logits"]
        for name in ("numpy, float64", "WebAssembly, float32", "JavaScript, float32")
    ]
    assert max(closer) < torch_s, (
        "three of four closer than torch, which makes most of the difference"
    )


@after("cell-072")
def how_loud_the_three_faults_are(stored, table):
    f, g_, h = (fault["torch"] for fault in stored["faults"].values())
    assert 190 < g_["block 0 n"] / f["block 0 n"] < 210, "1.6 is 200 times 0.008"
    assert 100 * h["block 0 mlp"] < table["JavaScript, 8 bits"]["block 0 mlp"], (
        "H less than a hundredth of 8 bits"
    )
    assert (
        h["block 0 mlp"] > 90 * stored["columns"]["JavaScript, float32"]["torch"]["block 0 mlp"]
    ), "and a hundred times rounding"


@after("cell-072")
def a_variance_of_about_0_01(right):
    before_ln = right["h0"] + right["block 0 attention"]
    variance = before_ln.var(dim=1)
    assert 0.005 < variance.mean() < 0.02, "a variance of about 0.01"
    assert 0.62 < (variance / (variance + 0.01)).sqrt().mean() < 0.71, "a third off"


@after("cell-076")
def an_embedding_of_size_0_07(steps):
    assert round(steps.h0.std().item(), 2) == 0.07


@after("cell-080")
def what_the_states_would_say_after_each_block(model, bpe):
    seen = g.trace(model, bpe.encode("She looked at the letter and began to"))
    best_guess = [
        model.logits(s).argmax(dim=-1) for s in (seen.h0, *(b.h for b in seen.blocks))
    ]
    itself = [int((guess == seen.ids).sum()) for guess in best_guess]
    assert itself == [8, 8, 8, 0, 0], "eight of eight, then none"
    to, read_ = bpe.token_to_id("to</w>"), bpe.token_to_id("read</w>")
    assert best_guess[3][6] == to, "to from block 2 on, read in block 3"
    assert best_guess[4][6] == to, "to from block 2 on, read in block 3"
    assert best_guess[3][7] != read_, "to from block 2 on, read in block 3"
    assert best_guess[4][7] == read_, "to from block 2 on, read in block 3"
    door = bpe.token_to_id("door</w>")
    assert best_guess[3][3] != door, "so does door"
    assert best_guess[4][3] == door, "so does door"


@after("cell-080")
def after_block_1_the_own_token_has_at_most_6_3_percent(model, bpe):
    seen = g.trace(model, bpe.encode("She looked at the letter and began to"))
    h, own = seen.blocks[1].h, model.tokens.weight.detach()[seen.ids]
    with torch.no_grad():
        probs = model.logits(h).softmax(dim=-1).gather(1, seen.ids[:, None])
    assert abs(probs.max() - 0.063) < 5e-4
    assert F.cosine_similarity(h, own).max() < 0.4, "most of each state is something else"


@after("one-block-3")
def a_block_has_7_087_872(block_parameters):
    assert block_parameters(768) == 7_087_872


@after("cell-091")
def your_count_is_the_models(gpt_parameters, gpt1):
    assert 12 * 768**2 + 13 * 768 == 7_087_872
    counted = gpt_parameters(40478, 512, 12, 768)
    assert gpt1.count_parameters() == counted == 116_534_784


@after("cell-094")
def the_parts_are_the_whole(parts):
    assert sum(parts.values()) == 116_534_784


@after("one-block-3")
def the_text_says_85_054_464_in_twelve_blocks(block_parameters):
    assert 12 * block_parameters(768) == 85_054_464
    assert round(100 * 85_054_464 / 116_534_784) == 73


@after("cell-094")
def the_text_says_31_480_320_in_two_tables(parts):
    tables = parts["token embedding"] + parts["positions"]
    assert tables == 31_480_320


@after("one-block-3")
def embeddings_are_more_than_half_up_to_here(block_parameters):
    rows = 40_478 + 512
    widest = max(w for w in range(1, 2_000) if rows * w > 12 * block_parameters(w))
    deepest = max(n for n in range(1, 13) if rows * 768 > n * block_parameters(768))
    assert widest == 283, "a width of 283, four blocks"
    assert deepest == 4, "a width of 283, four blocks"


@after("cell-097")
def what_decays(decayed, n):
    assert (decayed, n - decayed) == (116_414_976, 119_808)


@after("cell-097")
def untied_147_621_888(n):
    assert n + 40478 * 768 == 147_621_888


@after("cell-103")
def an_untrained_model_is_near_ln_v(before, bpe):
    assert abs(before - 8.99) < 0.006
    assert abs(math.log(bpe.n_vocab) - 9.00) < 0.006


@after("cell-103")
def trained_it_is_at_3_86(after):
    assert abs(after - 3.86) < 0.006


@after("cell-110")
def gpt_2s_smallest_has_124_439_808(gpt2):
    assert gpt2 == 124_439_808


@after("cell-004")
def an_even_guess_among_five_costs_1_61_nats():
    assert round(math.log(5), 2) == 1.61
