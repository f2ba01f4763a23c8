// Package loop carries a conversation between the user, a model and the tools.
//
// An Agent owns a session: it takes commands, runs one turn at a time and reports
// everything as events. Its parts are types of their own: permissions and approvals
// decide on calls, models chooses the model, inbox holds pending messages to the
// model, userShell runs the commands that the user types. The recorder appends each
// durable event to the log and then forwards it to the front end, in one ordered queue
// with previews. Any goroutine may call it: it holds its lock while it forwards, which
// keeps the order of the log and of the queue the same.
//
// Other parts have packages: event is the vocabulary, turn runs one turn, session
// reads logs, window meters and compacts the model's context, policy judges calls,
// export writes and imports sessions. Only cmd/agent and the package at the root
// of the module import loop itself.
//
// The path of a tool call: llm.Reply.Messages parses its arguments, and the call reader
// of the turn understands what models write instead of them. The turn prepares it
// (Tool.Prepare and the interceptors), gets the verdict of permissions.Judge and, if
// that is to ask, the answer of approvals.Approve, and runs it (the interceptors around
// Call.Run). The doc of package turn names the functions. ToolStart and ToolEnd are
// events like all others.
//
// The path of an event: recorder.emit passes a Durable to recorder.save, which
// encodes it (event.Encode), adds it to the index (session.EventOffsets.Add) and appends
// it to the log (history.Log.Append); recorder.forward then sends it to the front
// end. On resume, Agent.openSession reads all records with session.ReadIndex, which
// decodes (session.Events) and replays them (session.Replay.Add), and reports an
// event.Opened. Agent.load passes the replay to turn.Conversation.Load when the
// conversation is first needed. Agent.Page reads events for the front end with
// recorder.events.
//
// Three invariants: every tool call has exactly one result by the end of its turn,
// no message is lost, and no panic of a turn ends the program. Start reading at
// Agent.Run, then turn.Turn.Run.
package loop
