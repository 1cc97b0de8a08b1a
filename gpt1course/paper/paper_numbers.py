"""What the paper itself printed: Tables 1 to 5, and Figure 2 as read from its picture.

Numbers of Radford et al. (2018), beside which the lessons put our own.
"""

TABLE1 = {  # kind of task -> its sets
    "natural language inference": ["SNLI", "MNLI", "QNLI", "RTE", "SciTail"],
    "question answering": ["RACE", "Story Cloze"],
    "sentence similarity": ["MRPC", "QQP", "STSB"],
    "classification": ["SST2", "CoLA"],
}
RESULTS = {  # table -> its columns, and a score for each or None, system by system
    "Table 2": (  # natural language inference: accuracy
        ("MNLI-m", "MNLI-mm", "SNLI", "SciTail", "QNLI", "RTE"),
        {
            "ESIM + ELMo (5x)": (None, None, 89.3, None, None, None),
            "CAFE (5x)": (80.2, 79.0, 89.3, None, None, None),
            "Stochastic Answer Network (3x)": (80.6, 80.1, None, None, None, None),
            "CAFE": (78.7, 77.9, 88.5, 83.3, None, None),
            "GenSen": (71.4, 71.3, None, None, 82.3, 59.2),
            "Multi-task BiLSTM + Attn": (72.2, 72.1, None, None, 82.1, 61.7),
            "GPT-1": (82.1, 81.4, 89.9, 88.3, 88.1, 56.0),
        },
    ),
    "Table 3": (  # question answering: accuracy
        ("Story Cloze", "RACE-m", "RACE-h", "RACE"),
        {
            "val-LS-skip": (76.5, None, None, None),
            "Hidden Coherence Model": (77.6, None, None, None),
            "Dynamic Fusion Net (9x)": (None, 55.6, 49.4, 51.2),
            "BiAttention MRU (9x)": (None, 60.2, 50.3, 53.3),
            "GPT-1": (86.5, 62.9, 57.4, 59.0),
        },
    ),
    "Table 4": (  # Matthews' correlation, accuracy, F1, Pearson's correlation, F1, a mean
        ("CoLA", "SST2", "MRPC", "STSB", "QQP", "GLUE"),
        {
            "Sparse byte mLSTM": (None, 93.2, None, None, None, None),
            "TF-KLD": (None, None, 86.0, None, None, None),
            "ECNU (mixed ensemble)": (None, None, None, 81.0, None, None),
            "Single-task BiLSTM + ELMo + Attn": (35.0, 90.2, 80.2, 55.5, 66.1, 64.8),
            "Multi-task BiLSTM + ELMo + Attn": (18.9, 91.6, 83.5, 72.8, 63.3, 68.9),
            "GPT-1": (45.4, 91.3, 82.3, 82.0, 70.3, 72.8),
        },
    ),
}


def best_before(column: str) -> tuple[float, float]:
    """(the best score before, GPT-1's) of a column of Tables 2 to 4; KeyError if none."""
    for columns, systems in RESULTS.values():
        if column in columns:
            scores = [row[columns.index(column)] for row in systems.values()]
            *before, gpt1 = [score for score in scores if score is not None]
            return max(before), gpt1
    raise KeyError(column)


TABLES2_TO_4 = {  # set -> (the best before, GPT-1)
    name: best_before({"MNLI": "MNLI-m"}.get(name, name))
    for names in TABLE1.values()
    for name in names
}
TRAINING_SETS = {  # examples to learn from
    "SNLI": 550_000,  # the paper, section 4.2
    "MNLI": 393_000,  # Wang and others 2018, Table 1, as all without a word
    "QQP": 364_000,
    "QNLI": 108_000,
    "RACE": 87_866,  # Lai and others 2017
    "SST2": 67_000,
    "SciTail": 23_596,  # Khot and others 2018
    "CoLA": 8_500,
    "STSB": 5_700,  # the paper, section 4.2; GLUE says 7,000
    "MRPC": 3_700,
    "RTE": 2_490,  # the paper, section 4.2
    "Story Cloze": 1_497,  # datasets.py of the released code; 374 more to validate
}
TABLE5_TASKS = ["CoLA", "SST2", "MRPC", "STSB", "QQP", "MNLI", "QNLI", "RTE"]
TABLE5 = {  # the printed average, then a score for each of TABLE5_TASKS
    "full": (74.7, [45.4, 91.3, 82.3, 82.0, 70.3, 81.8, 88.1, 56.0]),
    "no pre-training": (59.9, [18.9, 84.0, 79.4, 30.9, 65.5, 75.7, 71.2, 53.8]),
    "no auxiliary loss": (75.0, [47.9, 92.0, 84.9, 83.2, 69.8, 81.1, 86.9, 54.4]),
    "LSTM": (69.1, [30.3, 90.5, 83.2, 71.8, 68.1, 73.7, 81.1, 54.6]),
}
FIGURE2_LEFT = {  # accuracy by parts transferred, within 0.3; 0 = nothing
    "RACE": [39.7, 42.0, 41.1, 46.7, 48.4, 50.1, 53.1, 53.8, 54.1, 55.1, 56.3, 58.4,
             59.0, 60.1],
    "MultiNLI": [72.7, 75.2, 74.7, 77.6, 78.2, 78.2, 79.7, 80.2, 81.0, 81.3, 81.6,
                 82.0, 82.4, 82.4],
}  # fmt: skip
FIGURE2_RIGHT = {  # where the curves end: 0 = guessing, 1 = the best model; LSTM by eye
    "sentiment": {"GPT-1": 0.68, "LSTM": 0.49},
    "schemas": {"GPT-1": 0.55, "LSTM": 0.26},
    "acceptability": {"GPT-1": 0.44, "LSTM": 0.37},
    "question answering": {"GPT-1": 0.25, "LSTM": 0.02},
}
