// Package window keeps a conversation within a model's context window: it estimates
// how much of the window is used, plans which old content to shorten, and shortens
// it by fixed rules. Its functions are pure: it sends nothing, writes no file and
// knows no session. Start reading at Plan and Apply.
package window
