// Package instructions reads what users and repositories tell the model in files:
// AGENTS.md and CLAUDE.md with their imports, skills, custom commands and agents. The
// files of a repository are untrusted: only regular files inside it are read, and
// none that is protected or may hold secrets. Nothing in a file changes a setting,
// grants a permission or runs a command. Start reading at Project.
package instructions
