// Package agents shows delegates on the screen: Block is the part above the prompt
// with those in the background, and View is the full-screen transcript of one. Package
// slash has the list of /agents, package transcript the lines of tool calls. Start
// reading at View.
package agents
