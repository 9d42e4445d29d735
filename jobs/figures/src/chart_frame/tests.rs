//! Sizes of documents, and places of labels and names.

use super::*;

fn document(legend: &[&str], labels: &[&str]) -> String {
    let label = |(idx, label): (usize, &&str)| AxisTick {
        at: 100.0 + 60.0 * to_f64(idx),
        label: Some((*label).to_owned()),
    };
    let frame = ChartFrame {
        title: "t",
        description: "d".to_owned(),
        x_label: "x",
        y_label: "y",
        ticks: [labels.iter().enumerate().map(label).collect(), Vec::new()],
        x_labels: TickLabels::Names,
        legend: legend
            .iter()
            .map(|&name| LegendRow { name, beside: None, sample: Vec::new() })
            .collect(),
    };
    frame.document(&[], DocumentForm::Standalone)
}

#[test]
fn the_document_grows_with_what_it_holds() {
    let check = |legend: &[&str], labels: &[&str], view_box: &str| {
        let svg = document(legend, labels);
        assert!(svg.contains(&format!("viewBox=\"{view_box}\"")), "{view_box}: {svg}");
    };
    check(&["short"], &["1", "2"], "0 0 860 480");
    // 704 to the name's start and its margin, and 40 letters of 7.8.
    check(&["a".repeat(40).as_str()], &["1", "2"], "0 0 1016 480");
    check(&["a"; 30], &["1", "2"], "0 0 860 716");
    // Half of 16 letters of 7.8.
    check(&["short"], &["sixteen letters.", "2"], "-9 0 869 543");
}

#[test]
fn rows_of_the_legend_are_beside_their_curves() {
    let check = |beside: &[f64], expected: Option<&[f64]>| {
        let row = |beside: &f64| LegendRow { name: "", beside: Some(*beside), sample: vec![] };
        let frame = ChartFrame {
            title: "",
            description: String::new(),
            x_label: "",
            y_label: "",
            ticks: [Vec::new(), Vec::new()],
            x_labels: TickLabels::Numbers,
            legend: beside.iter().map(row).collect(),
        };
        assert_eq!(frame.heights_beside_plot().as_deref(), expected, "{beside:?}");
    };
    check(&[300.0, 100.0], Some(&[300.0, 100.0]));
    check(&[105.0, 100.0, 101.0], Some(&[144.0, 100.0, 122.0]));
    check(&[424.0, 424.0, 46.0], Some(&[391.0, 413.0, 57.0]));
    check(&[100.0; 18], None);
}

#[test]
fn labels_slant_if_they_would_touch() {
    assert_eq!(document(&[], &["1,000", "2,000"]).matches("rotate").count(), 1);
    let svg = document(&[], &["adjusting", "adjusting", "a<b"]);
    assert_eq!(svg.matches("rotate(-30)").count(), 3);
    assert!(svg.contains(">a&lt;b</text>"), "{svg}");
}
