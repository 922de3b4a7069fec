"""Words, stems and stop lists: pure text handling."""
