package fetch

var Follows = follows
