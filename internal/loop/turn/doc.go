// Package turn carries one prompt to its end: it sends the conversation to a
// model, runs the tools that the model calls, returns every result, and repeats
// until the model calls no more tools, a guard ends the turn, or the user
// interrupts it.
//
// A Turn is synchronous. It owns the Conversation until Run returns. The parts of a
// turn have their own state: the input adds prompts and notes, the requester gets replies
// (choice of the model, retries, fallbacks, streaming), the call reader understands the
// calls in a reply, the executor runs them (prepare, decide, run, finish), the guards stop
// a turn that makes no progress, the answer fitter checks the last answer against a
// schema. A turn depends on the interfaces Models, Permissions, Approver and Inbox. It
// never writes the log and never draws: it reports everything as events through Emit.
//
// The path of a tool call: requester.stream adds its deltas to an llm.Reply, whose
// Messages parse the arguments. run.read has callReader.understand correct names and
// arguments, and run.step passes the calls to executor.run. executor.prepare finds the
// tool and calls Runner.prepare, which runs the interceptors of arguments, Tool.Prepare
// and the interceptors that check the call. Calls that only read run in parallel if
// executor.independent finds that Permissions.Judge allows them; for all others,
// executor.decide gets the verdict of Permissions.Judge and, if it is to ask, the answer
// of Approver.Approve. executor.begin emits the ToolStart, Runner.run
// runs the interceptors around Call.Run, executor.rerun may run a command again that
// its sandbox made fail, and executor.finish emits the ToolEnd,
// which the recorder of package loop appends to the log and the front end draws.
//
// Start reading at Turn.Run.
package turn
