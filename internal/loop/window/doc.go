// Package window keeps a conversation within a model's context window: it meters
// how much of the window is used, and shortens old content by fixed rules. Its
// functions are pure: it sends nothing, writes no file and knows no session.
// Start reading at Compact.
package window
