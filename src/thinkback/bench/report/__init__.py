"""The third pass: tables, plots and pages, made from run folders alone, with the paper's figures beside ours."""
