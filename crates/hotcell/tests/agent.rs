//! The example of an agent, which finds its way by observations alone.

#[path = "../examples/agent.rs"]
mod agent;

#[test]
fn an_agent_recovers_from_its_mistakes_by_what_it_reads() {
    agent::main().unwrap();
}
