// Package help holds the help topics of the program: Markdown files that are
// embedded in the binary and readable on the web. It draws nothing and runs no
// command. Start reading at Topics.
package help

import (
	"embed"
	"regexp"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Topic is a help topic. Its text is the file NAME.md.
type Topic struct {
	Name    string
	Summary string // one line without a full stop
}

// Group is a group of topics.
type Group struct {
	Name   string
	Topics []Topic
}

// Groups returns all topics in their groups, in the order in which to read them.
func Groups() []Group {
	return []Group{
		{"Start", []Topic{
			{"quickstart", "install, connect a model, send the first prompt"},
			{"models", "providers, API keys, base URLs, proxies, cost"},
			{"keys", "key bindings, the prompt editor, vim mode, the mouse"},
			{"commands", "slash commands, shell commands, custom commands, flags"},
			{"migrate", "coming from Claude Code, Codex, opencode: files, flags, settings, keys"},
			{"troubleshooting", "agent doctor, and what to do if something does not work"},
		}},
		{"Safety", []Topic{
			{"permissions", "permission modes, approving and rejecting, always allow, plans"},
			{"rules", "permission rules, protected paths, read-only commands, system policy"},
			{"sandbox", "what commands can write, read and connect to"},
			{"undo", "restore files that tools and commands changed, agent undo, agent diff"},
			{"data", "files on disk, API keys, secrets in commands and models, deletion"},
		}},
		{"Work", []Topic{
			{"sessions", "continue, resume, fork, rewind, context window, search, export, inspect"},
			{"instructions", "AGENTS.md, CLAUDE.md, imports, skills, /init, /memory"},
			{"agents", "subagents (delegates), agent files, built-in agents, confirming a repository's agents"},
			{"tools", "the tools a model can call, checks, evidence, web search, fetch"},
			{"configuration", "the configuration file, all settings, system prompt, appearance"},
		}},
		{"Extend", []Topic{
			{"mcp", "MCP servers: add, check, call, log in, of a repository, permissions, Databricks"},
			{"lsp", "language servers, formatters, /lsp, errors after edits"},
			{"hooks", "commands at events of a session, tools of your own, trust in a repository"},
		}},
		{"Automate", []Topic{
			{"limits", "limits of steps, tokens, cost and time, loops, retries, fallback models"},
			{"headless", "agent run, output formats, exit codes, agent eval, plain mode"},
			{"protocol", "control agent run from another program: commands and events as JSON lines"},
			{"editors", "agent acp: sessions in Zed, JetBrains and Neovim"},
		}},
		{"Project", []Topic{
			{"reliability", "guarantees and figures: interrupts, crashes, disk errors, safety"},
		}},
	}
}

// Topics returns all topics in the order in which to read them.
func Topics() (all []Topic) {
	for _, g := range Groups() {
		all = append(all, g.Topics...)
	}
	return all
}

// Names returns the names of all topics.
func Names() []string {
	var names []string
	for _, t := range Topics() {
		names = append(names, t.Name)
	}
	return names
}

// Text returns the Markdown of a topic, without the comments that mark generated
// tables. It reports false if there is no such topic.
func Text(name string) (string, bool) {
	if !slices.Contains(Names(), name) {
		return "", false
	}
	b, err := files.ReadFile(name + ".md")
	return marker.ReplaceAllString(string(b), ""), err == nil
}

// Page returns the Markdown of a topic, or for an empty name the list of topics. It reports
// false if there is no such topic.
func Page(name string) (string, bool) {
	if name != "" {
		return Text(name)
	}
	var b strings.Builder
	b.WriteString("# The manual of agent\n\nTo read a topic, read agent:help/NAME.md. The user opens it with /help NAME, or agent help NAME.\n")
	for _, g := range Groups() {
		b.WriteString("\n## " + g.Name + "\n\n")
		for _, t := range g.Topics {
			b.WriteString("- " + t.Name + ": " + t.Summary + "\n")
		}
	}
	return b.String(), true
}

var marker = regexp.MustCompile(`(?m)^<!-- .* -->\n`)

// Mentions returns the names of the topics whose text contains words, ignoring
// case.
func Mentions(words string) []string {
	var names []string
	for _, name := range Names() {
		if text, _ := Text(name); strings.Contains(strings.ToLower(text), strings.ToLower(words)) {
			names = append(names, name)
		}
	}
	return names
}
