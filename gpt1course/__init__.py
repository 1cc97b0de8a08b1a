"""The course on GPT-1: what the notebooks need beside the library.

    exercises/   lessonNN: solution, wrong answers, cases; mistakes to find
    checking/    a learner's answer is called, compared, and told what went wrong
    grading/     marks for a folder of submitted notebooks
    settings     environment variables
    workspace    a learner's own copies of the lessons; progress
    statistics   intervals over seeds, paired tests, a line through logarithms
    viz/         plots, diagrams, explorers, and the model in JavaScript
    paper/       the paper's experiments at laptop scale

It imports `gpt1lib`; `gpt1lib` imports nothing of it.
"""
