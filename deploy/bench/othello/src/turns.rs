//! Contenders by turns: rates by CPU time, and their ratios in each round.

use rustix::time::{ClockId, clock_gettime};

/// A program that is measured.
pub struct MeasuredProgram {
    name: String,
    /// Works for at least so many seconds and returns the rate.
    work: Box<dyn FnMut(f64) -> f64>,
}

impl MeasuredProgram {
    /// Returns a contender that calls `unit`, which returns the number of things that it did, again
    /// and again.
    pub fn in_process(name: &str, mut unit: impl FnMut() -> u64 + 'static) -> Self {
        Self::of_rates(name, move |seconds| {
            let began = cpu_seconds();
            let mut n_done = 0;
            loop {
                n_done += unit();
                let spent = cpu_seconds() - began;
                if seconds <= spent {
                    return n_done as f64 / spent;
                }
            }
        })
    }

    /// Returns a contender that says its rate itself.
    pub fn of_rates(name: &str, work: impl FnMut(f64) -> f64 + 'static) -> Self {
        Self { name: name.to_owned(), work: Box::new(work) }
    }
}

/// Returns the CPU time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Lets all contenders work by turns, `rounds` times, and prints a table with their rates, and with
/// the first rate divided by each rate.
pub fn compare(title: &str, rounds: usize, seconds: f64, mut contenders: Vec<MeasuredProgram>) {
    let mut rates = vec![Vec::new(); contenders.len()];
    for it in &mut contenders {
        // Fills caches and tables; does not count.
        (it.work)(seconds / 4.0);
    }
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..contenders.len()).collect();
        // What becomes slower or faster in a round hits both ends of the list.
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            rates[at].push((contenders[at].work)(seconds));
        }
    }
    println!("| {title} | per second | {}: times as many |", contenders[0].name);
    println!("|---|---|---|");
    for (it, of_this) in contenders.iter().zip(&rates) {
        let ratios = rates[0].iter().zip(of_this).map(|(first, this)| first / this).collect();
        println!("| {} | {} | {} |", it.name, spread(of_this.clone()), spread(ratios));
    }
    println!();
}

/// Returns the median of `values`, and the lowest and the highest one.
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let median = f64::midpoint(values[(n - 1) / 2], values[n / 2]);
    let [lowest, highest] = [values[0], values[n - 1]].map(rounded);
    format!("{} ({lowest} to {highest})", rounded(median))
}

/// Returns `value` with three digits that count, and commas between thousands.
fn rounded(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.2}");
    }
    let unit = 10_f64.powi(value.log10().floor() as i32 - 2);
    let digits = format!("{:.0}", (value / unit).round() * unit);
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at != 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
