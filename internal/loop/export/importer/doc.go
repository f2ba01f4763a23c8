// Package importer imports exports and logs of sessions. They are untrusted: they grant no
// permission, name no host and run nothing. Start reading at Import.
package importer
