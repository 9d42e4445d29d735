use super::*;

fn chart(names: &[&str], cells: &[(usize, usize, f64, &str)]) -> MatrixChart {
    let [title, x_label, y_label, legend_label] = ["t", "x", "y", "%"].map(str::to_owned);
    let cell = |&(row, column, value, text): &(usize, usize, f64, &str)| MatrixCell {
        row,
        column,
        value,
        text: text.to_owned(),
        hover: String::new(),
    };
    MatrixChart {
        title,
        x_label,
        y_label,
        legend_label,
        rows: names.iter().map(|&name| name.to_owned()).collect(),
        columns: names.iter().map(|&name| name.to_owned()).collect(),
        cells: cells.iter().map(cell).collect(),
        scale: DivergingScale::around(50.0, 20.0),
    }
}

#[test]
fn cells_are_at_their_row_and_column() {
    let mut chart = chart(&["ab", "c", "d"], &[(0, 1, 60.0, "60.0"), (2, 0, 30.0, "")]);
    chart.cells[1].hover = "d < ab".to_owned();
    let svg = chart.to_svg();
    // Names of 16 begin at 34, and there are 8 more to the cells, which are ceil(31.2) * 12 / 13 +
    // 8 wide, rounded up: 38. Above them, there are 40, ceil(0.708 * 16) and 8.
    let cell = "<g><rect x=\"96.0\" y=\"60.0\" width=\"38.0\" height=\"38.0\" fill=\"#92c5de\" \
                stroke=\"white\" stroke-width=\"0.5\"/>\
                <text x=\"115.0\" y=\"83.0\">60.0</text></g>";
    assert!(svg.contains(cell), "{svg}");
    let hover = "<g><title>d &lt; ab</title><rect x=\"58.0\" y=\"136.0\" width=\"38.0\"";
    assert!(svg.contains(hover), "{svg}");
}

/// Rows and columns have names and numbers of their own.
#[test]
fn a_table_need_not_be_square() {
    let mut chart = chart(&["ab", "c", "d"], &[(2, 0, 30.0, ""), (0, 1, 60.0, "")]);
    chart.columns = vec!["x".to_owned()];
    let svg = chart.to_svg();
    assert!(svg.contains("3 rows: ab; c; d. 1 column: x."), "{svg}");
    // One column of cells that are 22 wide, in the third of three rows.
    let cell = "<g><rect x=\"58.0\" y=\"98.0\" width=\"22.0\" height=\"22.0\"";
    assert!(svg.contains(cell) && svg.matches("<g><rect").count() == 1, "{svg}");
}

#[test]
fn what_cannot_be_drawn_is_left_out() {
    let bad =
        [(0, 2, 50.0, "a"), (2, 0, 50.0, "a"), (0, 0, f64::NAN, "long text"), (0, 0, 1e101, "a")];
    let svg = chart(&["a", "b"], &bad).to_svg();
    assert_eq!(svg, chart(&["a", "b"], &[]).to_svg());
    assert!(!svg.contains("<g><rect"), "{svg}");
    assert!(chart(&[], &[(0, 0, 50.0, "a")]).to_svg().ends_with("</svg>\n"));
}

#[test]
fn the_legend_names_the_center_and_both_ends() {
    let svg = chart(&["a"], &[]).to_svg();
    for label in ["30", "40", "50", "60", "70"] {
        assert!(svg.contains(&format!(">{label}</text>")), "{label}: {svg}");
    }
}
