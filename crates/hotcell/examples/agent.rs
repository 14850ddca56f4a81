//! An agent in one file: a prompt, a loop, and a model that learns from nothing but what it reads.
//!
//! `cargo run --release -p hotcell --example agent`
//!
//! The model here is a script, so that this runs without one: it has an answer for each thing that it may read, and makes the
//! mistakes that models make. Each of its corrections is triggered by a sentence of the observation before it, and by nothing
//! else: whoever changes those sentences learns here whether they still help.

#![expect(clippy::print_stdout, reason = "an example prints")]

use hotcell::{
    AgentTool, Executor, ExecutorOptions, ObservationOptions, Value,
    prompt::{ParseOptions, PromptContext, parse_code, render_system_prompt},
    schemars,
};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// What goes to a model, and comes from it.
trait Model {
    /// The next answer, after everything that was said.
    fn answer(&mut self, said: &[String]) -> Result<String>;
}

/// A model whose answers are written down: each with what it has to have read before.
struct Script(Vec<(&'static str, &'static str)>);

impl Model for Script {
    fn answer(&mut self, said: &[String]) -> Result<String> {
        let read = said.last().map(String::as_str).unwrap_or_default();
        let (expected, answer) = self.0.remove(0);
        if read.contains(expected) {
            return Ok(answer.to_owned());
        }
        Err(format!("a model that reads this would not know about {expected:?}:\n{read}").into())
    }
}

/// The loop: ask the model, run its code, tell it what came of that; until there is an answer.
async fn solve(
    task: &str,
    model: &mut dyn Model,
    executor: &Executor,
    steps: usize,
) -> Result<Value> {
    let context = PromptContext {
        tools: executor.tools(),
        ..PromptContext::default()
    };
    let mut said = vec![format!(
        "{}\n\nTask: {task}",
        render_system_prompt(&context)?
    )];
    for number in 1..=steps {
        let answer = model.answer(&said)?;
        println!("── step {number}\n{answer}");
        let observation = match parse_code(&answer, &ParseOptions::default()) {
            // The words of the error teach the format.
            Err(error) => error.to_string(),
            Ok(parsed) => {
                let step = executor.execute(&*parsed.code).await;
                if step.is_final_answer {
                    return Ok(step.output);
                }
                step.observation(&ObservationOptions::default().max_tokens(1000))
            }
        };
        println!("{observation}\n");
        said.push(answer);
        said.push(observation);
    }
    Err("the model did not get to an answer".into())
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct StockArgs {
    /// The number of the part
    part: String,
    site: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Stock {
    units: u32,
    reserved: u32,
}

async fn stock(args: StockArgs) -> Result<Stock, String> {
    match (args.part.as_str(), args.site.as_str()) {
        ("B-204", "Oslo") => Ok(Stock {
            units: 12,
            reserved: 4,
        }),
        ("B-204", "Porto") => Ok(Stock {
            units: 31,
            reserved: 0,
        }),
        ("B-204", site) => Err(format!("no such site: {site}")),
        (part, _) => Err(format!("no such part: {part}")),
    }
}

/// Seven mistakes, seven corrections.
fn script() -> Script {
    Script(vec![
        (
            "declare function stock_level(",
            "I would look it up in the warehouse system.",
        ),
        // Prose: it learns the format.
        (
            "<code>",
            "Thought: I ask both sites.\n<code>\nconst oslo = await stockLevels({ site: 'Oslo', part: 'B-204' });\n</code>",
        ),
        // A wrong name.
        (
            "did you mean `stock_level`?",
            "<code>\nconst oslo = await stock_level({ warehouse: 'Oslo', part: 'B-204' });\n</code>",
        ),
        // Wrong arguments.
        (
            "\"site\" is a required property",
            "<code>\nconst levels = sites.map((site) => stock_level({ site, part: 'B-204' }));\nconst free = levels.map((level) => level.units - level.reserved);\nfree\n</code>",
        ),
        // Promises for results.
        (
            "`level` is a promise, because `stock_level` was not awaited",
            "<code>\nconst levels = await Promise.all(sites.map((site) => stock_level({ site, part: 'B-204' })));\nlevels.sort((a, b) => b.units - a.units);\nsites.sort();\n</code>",
        ),
        // An input that is frozen.
        (
            "toSorted()",
            "<code>\nconst free = levels.map((level) => level.units - level.reserved;\n</code>",
        ),
        // A syntax error.
        (
            "expected `,` or `)` but found `;`",
            "<code>\nconst free = levels.map((level) => level.units - level.reserved);\nconst report = { total: free.reduce((a, b) => a + b), at: Date.now() };\n</code>",
        ),
        // Something that is not there.
        (
            "there is no clock unless the host allows one",
            "<code>\nfinal_answer({ total: free.reduce((a, b) => a + b) });\n</code>",
        ),
    ])
}

/// Runs the example.
pub(crate) fn main() -> Result {
    pollster::block_on(async {
        let executor = Executor::new(ExecutorOptions::default());
        executor.init().await?;
        let sites = Value::array([Value::from("Porto"), Value::from("Oslo")]);
        executor.send_variables([("sites", sites)]).await?;
        let tool = AgentTool::typed(stock).description("How many units of a part a site has");
        executor.send_tools([("stock_level", tool)]).await?;
        let task = "How many units of part B-204 are free in all?";
        let answer = solve(task, &mut script(), &executor, 10).await?;
        println!("── the answer: {answer:?}");
        if answer.get("total") == Some(&Value::from(39)) {
            Ok(())
        } else {
            Err(format!("a wrong answer: {answer:?}").into())
        }
    })
}
