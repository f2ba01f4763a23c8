// Package slash holds the slash commands: the one table of the built-in ones, the
// custom ones from files, the command palette, and the lists and items that
// commands show. It knows no keys and draws no screen: a front end passes what only
// it can do in Front. Start reading at BuiltIn.
package slash
