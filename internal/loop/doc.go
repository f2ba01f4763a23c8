// Package loop carries a conversation between the user, a model and the tools.
//
// An Agent owns a session: it takes commands, runs one Turn at a time and reports
// in events. A Turn is synchronous: it asks the model, runs the tools that the
// model calls, returns every result, and repeats until the model calls no more or
// a guard ends it. A running turn owns the conversation; the agent hands it over
// and gets it back. The recorder, one goroutine, appends each durable event to the
// log and then forwards it to the front end, in one ordered queue with previews.
//
// The parts have packages of their own: event is the vocabulary, session reads
// logs, window meters and compacts what the model is sent, policy judges calls,
// export writes and imports sessions. Only cmd/agent imports loop itself.
//
// Three things hold at every moment, whatever a model, a tool or the user does:
// every tool call has exactly one result by the end of its turn; nothing that was
// said is lost; and nothing in here ends the program. Start reading at Agent.Run,
// then Turn.Run.
package loop
