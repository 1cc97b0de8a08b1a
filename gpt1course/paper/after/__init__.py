"""What came after the paper, in small: a masked model beside ours, and a scaling sweep."""
