// Package slash holds the slash commands: the table of the built-in ones, the custom
// ones from files, the command palette, and the lists and items that commands show.
// It handles no keys and draws no screen: the front end passes what it can do in
// Front. Start reading at BuiltIn.
package slash
