// Package adopt imports sessions: of Claude Code and Codex, and exports and logs of
// agent. Imported sessions are untrusted: they grant no permission, name no host and
// run nothing. Start reading at Import.
package adopt
