// Package loop carries a conversation between a person, a model and the tools.
//
// A Turn is synchronous: it asks the model, runs the tools that it calls, feeds
// every result back, and repeats until the model calls no more or a guard ends
// it. An Agent owns a session: it takes commands, runs one Turn at a time,
// writes each durable event to the log before it shows it, and sends all events
// in one ordered queue.
//
// What the model is told can be taken back (Rewound) and its old parts cut by
// fixed rules (Compacted). The log keeps all of it, and Fold of the log is what
// the agent has: the same functions carry out both.
//
// Three things hold at every moment, whatever a model, a tool or a person does:
// every tool call has exactly one result by the end of its turn; nothing that
// was said is lost; and nothing in here ends the program.
package loop
