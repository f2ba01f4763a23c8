// Package event is the vocabulary between the loop and its front ends: durable
// events, previews and commands, the flat types that they carry, and their
// codec. The session log, stream-json, exports and every front end use it.
//
// It has no behavior: it never reads a log, judges a call or draws. The table in
// table.go lists all of them; start reading there. A new event
// is a struct in durable.go, preview.go or command.go and a row of that list.
package event
