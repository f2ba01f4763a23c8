package llm

import (
	"fmt"
	"time"
)

// ErrorKind classifies a provider error by what can be done about it.
type ErrorKind string

// The kinds of errors.
const (
	ErrKey        ErrorKind = "key"        // no API key, or a rejected one (401, 403)
	ErrQuota      ErrorKind = "quota"      // no credit or quota left (402, insufficient_quota)
	ErrRate       ErrorKind = "rate"       // too many requests (429)
	ErrOverloaded ErrorKind = "overloaded" // 408, 409, 5xx, 529
	ErrInvalid    ErrorKind = "invalid"    // the request is invalid (400, 422)
	ErrTooLong    ErrorKind = "too_long"   // the conversation exceeds the context window (413, context_length_exceeded)
	ErrImage      ErrorKind = "image"      // an image is invalid, too large or not supported (400)
	ErrNotFound   ErrorKind = "not_found"  // no such model or path (404)
	ErrNoTools    ErrorKind = "no_tools"   // the model or its server does not support tool calls
	ErrNetwork    ErrorKind = "network"    // DNS, connection or TLS
	ErrTimeout    ErrorKind = "timeout"    // no connection, no headers or no data in time
	ErrCut        ErrorKind = "cut"        // the stream ended before the reply did
	ErrProtocol   ErrorKind = "protocol"   // the response does not follow the dialect
	ErrCanceled   ErrorKind = "canceled"   // the caller's context was canceled
)

// Error is the error of a Stream. Its text is one line for the user and never
// contains an API key.
type Error struct {
	Kind       ErrorKind
	Provider   string        // provider that failed: "openai"
	Status     int           // HTTP status, 0 if there was none
	Message    string        // what went wrong, in the provider's words if it gave any
	Field      string        // the field of the request that the provider names, if any
	Hint       string        // what the user can do about it, in sentences; empty if unknown
	Retry      bool          // a retry may succeed
	Tries      int           // maximum number of tries; 0 leaves it to the caller
	RetryAfter time.Duration // minimum wait before a retry, 0 if unknown
	Vague      bool          // the request was rejected without a reason; it may be too long
	Err        error         // the cause, if any
}

// Error returns the provider, the status and the message in one line, without
// Hint.
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
