// Package keys holds the key bindings: the default table, the actions that a
// configuration can bind, and the names of keys. It never acts on a key. Start
// reading at Bindings and Map.
package keys
