// Package session reads session logs: it is the one place that decodes records and turns
// them into state. Events decodes records, and Undamaged separates them from damage.
// ReplayRecords turns all records into the State of a resumed session, Ending does so for the last
// turns only, ReadIndex finds the offset of each event, and Summarize updates the outline
// that a list of sessions shows. It never writes a log and runs nothing. Start reading at
// Events and ReplayRecords.
package session
