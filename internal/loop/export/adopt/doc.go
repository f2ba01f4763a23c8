// Package adopt reads sessions that other programs wrote: Claude Code, Codex, and
// exports of this one. What it returns is untrusted: it grants no permission,
// names no host and runs nothing. Start reading at Import.
package adopt
