"""Changes that a learner makes: (text of a cell, what it becomes), five and more a lesson.

Nothing that a learner can change may stop a later cell. A text here may go when its lesson no
longer has it; what comes in its place should be as natural as what it replaces.
"""

OTHER = "Everyone laughed; the naïve captain, “old” Tom -- 🙂 -- said: 日本!"
"""A sentence with signs that the vocabulary lacks."""

EDITS = {
    "00": [
        ("She looked at the letter, and", "It was a dark and stormy night"),
        ("She looked at the letter, and", ""),
        ("She looked at the letter, and", OTHER),
        ("He was a very young", "The sea was very"),
        ("temperature=0.8, seed=1", "temperature=1.4, seed=5"),
        ("n_tokens=60", "n_tokens=20"),
    ],
    "01": [
        ('books["austen_emma"]', 'books["melville_moby_dick"]'),
        ('["austen_northanger_abbey"]', '["joyce_dubliners"]'),
        ("range(76)", "range(30)"),
        ("t = 20", "t = 3"),
        ("(1, 2, 3, 4)", "(1, 2, 3)"),
        ("She opened the door and went out of the", ""),
        ("She opened the door and went out of the", OTHER),
    ],
    "02": [
        ("The lighthouse stood alone by the sea.", "My cat reads old newspapers."),
        ("The lighthouse stood alone by the sea.", OTHER),
        ("Mr. Knightley --   he's HERE!", OTHER),
        ('books["austen_emma"]', 'books["melville_moby_dick"]'),
        ('"daughter", "unhappiness"', '"whale", "harpoons"'),
    ],
    "03": [
        ('("whale", "three", "mother", "smiled")', '("sea", "two", "king", "ran")'),
        ('["austen_northanger_abbey"]', '["wells_island_of_doctor_moreau"]'),
        ('"the dog saw the man", "the man saw the dog"', '"the sea is old", "the old is sea"'),
        ("(1, 5, 50, 100, 150, 240)", "(2, 7, 30)"),
        ("(0, 100, 253, 254, 255)", "(3, 17)"),
        ('["I", "love", "cats", "dogs", "the"]', '["we", "read", "old", "books", "here"]'),
    ],
    "04": [
        ("She took the letter from the table and", "He gave the book to the child and"),
        ("She took the letter from the table and", OTHER),
        ("She took the letter from the table and", "A sea"),
        ('["austen_northanger_abbey"]', '["joyce_dubliners"]'),
        ("(0, 1, 3, 10)", "(0, 2, 5)"),
    ],
    "05": [
        ("The captain looked at the sea and said nothing.", "The old king looked back."),
        ("She took the letter from the table and read it.", OTHER),
        ("She took the letter from the table and read it.", "Yes."),
        ("updates=200", "updates=50"),
        ("range(6)", "range(4)"),
        ("[0.9, 1.8, 0.2, -0.4, 0.6]", "[9.0, -1.8, 0.2, 3.0, 0.0]"),
    ],
    "06": [
        ("The captain looked at the", "We saw the old"),
        ("The captain looked at the", OTHER),
        ("She took the letter from the table and read it to her mother.", OTHER),
        ("She took the letter from the table and read it to her mother.", "Yes, sir."),
        ('["austen_northanger_abbey"]', '["joyce_dubliners"]'),
        ('["Ann", "thanked", "Ben"]', '["Tom", "sees", "Ida"]'),
        ("[(3, 1), (1, 3), (0, 0)]", "[(2, 0)]"),
        ("(1, 12, 16)", "(2, 24)"),
    ],
    "07": [
        (
            "She took the letter from the table and read it to her mother.",
            "The king was very old.",
        ),
        ("She took the letter from the table and read it to her mother.", OTHER),
        ('["austen_northanger_abbey"]', '["joyce_dubliners"]'),
        ("(0, 1, 3, 6, 12)", "(0, 2, 4)"),
        ("(0.02, 0.07, 0.12)", "(0.03, 0.05)"),
    ],
    "08": [
        ('["I", "love", "cats", "dogs", "the"]', '["we", "read", "old", "books", "here"]'),
        ("The old lady was reading a letter by the", "He ran home to the"),
        ("It is a truth universally acknowledged, that a single man", OTHER),
        ('("window", "fire", "sea")', '("house", "king")'),
        ('["austen_northanger_abbey"]', '["joyce_dubliners"]'),
        ("It was the best of times, it was the worst of times", "We went home, and we slept"),
    ],
    "09": [
        ("the movie was bad", "the film was good"),
        ("seed=0, n_classes=2", "seed=3, n_classes=2"),
        ("range(300)", "range(40)"),
        ('("the film was", "the movie was")', '("the film",)'),
        ('"blocks.0.ln_1.weight"', '"blocks.0.ln_2.weight"'),
    ],
    "10": [
        ("The old man took his hat and went out into the rain.", "The king looked at the sea."),
        ("(2, 7, 10, 20, 60)", "(1, 3, 50)"),
        ("total, warmup = 100_000, 2000", "total, warmup = 50_000, 5000"),
        ("(1, 4)", "(1, 2)"),
        ("n_tokens=40", "n_tokens=10"),
    ],
    "11": [
        ("The old man took his hat and went out into the", "She was very"),
        ("She opened the letter and read it twice", "The sea is old"),
        ("She opened the letter and read it twice", OTHER),
        ("Dr. Moreau can't pay $3.50 -- in the U.S.A.!", OTHER),
        ('"Once upon a"', '"My dear"'),
        ("(0.5, 0.9, 0.99, 1.0)", "(0.2, 0.8)"),
    ],
    "12": [
        ('text = "The old man"', 'text = "My dear sister"'),
        ('"He saw a"', '"They found the"'),
        ('bpe.encode("The old man")', 'bpe.encode("The king")'),
        ("She opened the door and", OTHER),
        ("(0.2, 0.8, 1.5)", "(0.5, 2.0)"),
        ("(1, 2, 4, 8, 16)", "(1, 3)"),
    ],
    "13": [
        ('["austen_northanger_abbey"]', '["joyce_dubliners"]'),
        ("(1, 2, 3, 46, 92, 138)", "(1, 5, 20)"),
        ("questions.test[4]", "questions.test[0]"),
        ('    "he asked me where my brother was",\n', ""),
        ("(6e-5, 2.5e-4, 1e-3, 4e-3)", "(1e-3,)"),
        ("for seed in (1, 2):", "for seed in (3,):"),
        ('("frozen", "discriminative", "gradual")', '("frozen",)'),
    ],
    "14": [
        ("He was very glad to see his sister.", OTHER),
        ('("very", ". it was")', '("so",)'),
        ("range(20, 28)", "range(25, 30)"),
        ("(0, 2, 3, 5)", "(1, 4)"),
        ("comb(60, k) / 2**60 for k in range(61)", "comb(60, k) * 0.5**60 for k in range(61)"),
    ],
    "15": [
        ("(5, 10, 20)", "(3, 10)"),
        ("range(10, 20)", "range(5, 15)"),
        ('per_seed["no pre-training"]["film_snippets"]', 'per_seed["full"]["film_snippets"]'),
        ("t=STUDENT[len(both)]", "t=2.5"),
        ('["film_snippets"].values())', '["verse_pairs"].values())'),
    ],
    "16": [
        ('chosen="2", compared="0"', 'chosen="1", compared="0"'),
        ("transferred(novelist, 2, seed=0)", "transferred(novelist, 3, seed=1)"),
        ("reverse=True", "reverse=False"),
        ('paper.accuracies("variants"), "as GPT-1"', 'paper.accuracies("variants"), "untied"'),
        ("printed.FIGURE2_LEFT,", "dict(printed.FIGURE2_LEFT),"),
    ],
    "17": [
        ("she went to the window and looked out at the sea .", "the old king was here ."),
        ('bpe.encode("she was")', 'bpe.encode("the sea")'),
        ("the king went out of the house", OTHER),
        ("It was a cold evening, and", "My dear"),
        ("n_new = 120", "n_new = 30"),
        ("(16, 8, 4, 3)", "(8, 2)"),
    ],
}
