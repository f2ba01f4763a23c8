package llm

import (
	"fmt"
	"time"
)

// ErrorKind sorts the failures of a provider by what can be done about them.
type ErrorKind string

// The kinds of failure.
const (
	ErrKey        ErrorKind = "key"        // no key, or rejected (401, 403)
	ErrQuota      ErrorKind = "quota"      // no money or quota left (402, insufficient_quota)
	ErrRate       ErrorKind = "rate"       // too many requests (429)
	ErrOverloaded ErrorKind = "overloaded" // 408, 409, 5xx, 529
	ErrInvalid    ErrorKind = "invalid"    // the request is not acceptable (400, 422)
	ErrTooLong    ErrorKind = "too_long"   // the conversation exceeds the window (413, context_length_exceeded)
	ErrNotFound   ErrorKind = "not_found"  // no such model or path (404)
	ErrNoTools    ErrorKind = "no_tools"   // the model or its server knows no tool calling
	ErrNetwork    ErrorKind = "network"    // resolving, connecting, TLS
	ErrTimeout    ErrorKind = "timeout"    // connecting, headers or silence took too long
	ErrCut        ErrorKind = "cut"        // the stream ended before the reply did
	ErrProtocol   ErrorKind = "protocol"   // the answer is not what the dialect speaks
	ErrCanceled   ErrorKind = "canceled"   // the caller's context ended
)

// Error is the failure of a Stream. Its text is one line for people and never
// holds a key.
type Error struct {
	Kind       ErrorKind
	Provider   string        // who failed: "openai"
	Status     int           // HTTP status, 0 if there was none
	Message    string        // what went wrong, in the provider's words where it gave some
	Hint       string        // what the person can do about it, if known
	Retry      bool          // another try may succeed
	Tries      int           // so many in all are worth it; 0 leaves it to the caller
	RetryAfter time.Duration // lower bound of the wait before it, 0 if not told
	Err        error         // the cause, if any
}

// Error says who failed and how, with the hint left to the caller.
func (e *Error) Error() string {
	who := e.Provider
	if who == "" {
		who = "the provider"
	}
	switch {
	case e.Status != 0 && e.Message != "":
		return fmt.Sprintf("%s answered %d: %s", who, e.Status, e.Message)
	case e.Status != 0:
		return fmt.Sprintf("%s answered %d", who, e.Status)
	case e.Message != "":
		return fmt.Sprintf("%s: %s", who, e.Message)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", who, e.Err)
	}
	return fmt.Sprintf("%s: %s", who, e.Kind)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
