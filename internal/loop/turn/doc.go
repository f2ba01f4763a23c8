// Package turn carries one prompt to its end: it sends the conversation to a
// model, runs the tools that the model calls, returns every result, and repeats
// until the model calls no more tools, a guard ends the turn, or the user
// interrupts it.
//
// A Turn is synchronous. It owns the Conversation while it runs; whoever started
// it gets the conversation back when Run returns. The parts of a turn have their
// own state: the requester gets replies (choice of the model, retries, fallbacks,
// streaming), the executor runs calls (prepare, decide, run, finish), the guards
// stop a turn that does not advance, the answer fitter holds the last answer to a
// schema. What a turn needs from its surroundings are the interfaces Models,
// Permissions, Approver and Inbox. It never writes the log and never draws: all
// that happens is an event, handed to Emit.
//
// A tool call takes this way. requester.stream adds its deltas to an llm.Reply,
// whose Messages parse the arguments, and run.step hands it to executor.run.
// executor.prepare finds the tool and calls Runner.prepare, which runs the
// interceptors of arguments, Tool.Prepare and the interceptors that check the
// call. executor.decide gets the verdict of Permissions.Judge and, if it says so,
// the answer of Approver.Approve. executor.begin emits the ToolStart, Runner.run
// runs the interceptors around Call.Run, and executor.finish emits the ToolEnd,
// which the recorder of package loop appends to the log and the front end draws.
//
// Start reading at Turn.Run.
package turn
