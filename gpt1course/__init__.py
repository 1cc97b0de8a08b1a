"""The course on GPT-1: what the notebooks need beside the library.

    exercises/   lessonNN: solution, wrong answers, cases; mistakes to find
    checking/    a learner's answer is called, compared, and told what went wrong
    grading/     marks for a folder of submitted notebooks
    handout      copies of a lesson without solutions, lab sheets
    questions    the lessons' questions for Anki and Moodle
    figures      figures of the lessons as SVG
    ngrams       language models made of counts, which lesson 01 begins with
    nbgrader     a lesson as an assignment of nbgrader
    otter        the same for otter-grader
    settings     environment variables
    workspace    a learner's own copies of the lessons; progress
    statistics   intervals over seeds, paired tests, a line through logarithms
    viz/         plots, diagrams, explorers, and the model in JavaScript
    paper/       the paper's experiments at laptop scale

It imports `gpt1lib`; `gpt1lib` imports nothing of it.
"""
