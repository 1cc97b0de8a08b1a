"""What the paper itself printed: Tables 1 to 5, and Figure 2 as read from its picture.

Numbers of Radford et al. (2018), beside which the lessons put our own.
"""

TABLE1 = {  # kind of task -> its sets
    "natural language inference": ["SNLI", "MNLI", "QNLI", "RTE", "SciTail"],
    "question answering": ["RACE", "Story Cloze"],
    "sentence similarity": ["MRPC", "QQP", "STSB"],
    "classification": ["SST2", "CoLA"],
}
TABLES2_TO_4 = {  # set -> (the best before, GPT-1): accuracy, but for
    "MNLI": (80.6, 82.1),  # matched; mismatched 80.1 and 81.4
    "SNLI": (89.3, 89.9),
    "SciTail": (83.3, 88.3),
    "QNLI": (82.3, 88.1),
    "RTE": (61.7, 56.0),
    "Story Cloze": (77.6, 86.5),
    "RACE": (53.3, 59.0),
    "CoLA": (35.0, 45.4),  # Matthews' correlation
    "SST2": (93.2, 91.3),
    "MRPC": (86.0, 82.3),  # F1
    "STSB": (81.0, 82.0),  # Pearson's correlation
    "QQP": (66.1, 70.3),  # F1
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
