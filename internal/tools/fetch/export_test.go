package fetch

var Follows = sameSite
