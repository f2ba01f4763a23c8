// Package slash holds the slash commands: the table of the built-in ones, the custom
// ones from files, the command palette, and the lists and items that commands show.
// It handles no keys and draws no screen: Front holds the functions of the front end. Start reading at BuiltIn.
package slash
