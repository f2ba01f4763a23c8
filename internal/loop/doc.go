// Package loop carries a conversation between the user, a model and the tools.
//
// An Agent owns a session: it takes commands, runs one turn at a time and reports
// everything in events. Its parts are types of their own: permissions and approvals
// decide on calls, models is the choice of the model, inbox holds what the model
// has yet to get, userShell runs the commands that the user types. The recorder,
// one goroutine, appends each durable event to the log and then forwards it to the
// front end, in one ordered queue with previews.
//
// Other parts have packages: event is the vocabulary, turn carries one prompt to
// its end, session reads logs, window meters and compacts what the model is sent,
// policy judges calls, export writes and imports sessions. Only cmd/agent imports
// loop itself.
//
// A tool call takes this way. llm.Reply.Messages parses its arguments, and the
// turn prepares it (Tool.Prepare between the interceptors), gets the verdict of
// permissions.Judge and, if that is to ask, the answer of approvals.Approve, and
// runs it with the interceptors around Call.Run. The doc of package turn names the
// functions. The ToolStart and the ToolEnd take the way of every event.
//
// An event takes this way. recorder.emit hands a Durable to recorder.save, which
// encodes it (event.Encode), adds its place (session.Places.Add) and appends it to
// the log (history.Log.Append); recorder.forward then sends it to the front end.
// Back, Agent.survey reads all records of a resumed session with session.ReadIndex,
// which decodes (event.Decode) and folds them (session.Folding.Add), and reports an
// event.Opened. Agent.load hands the folding to turn.Conversation.Load when the
// conversation is first needed. Agent.Page reads events for the front end, by
// recorder.events.
//
// Three things hold at every moment, whatever a model, a tool or the user does:
// every tool call has exactly one result by the end of its turn; nothing that was
// said is lost; and nothing in here ends the program. Start reading at Agent.Run,
// then turn.Turn.Run.
package loop
