"""Questions to engines and their answers: queries, the table of engines, results, and what is judged of them."""
