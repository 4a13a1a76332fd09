#!/usr/bin/env perl
# A program with a toolbar tells Seam what its model says and what the toolbar shows; once it forgets to, reads that
# this is stale, and repairs it. Nothing but what comes with perl.
#
#     perl Clients/perl/report.pl
use strict;
use warnings;
use IO::Socket::UNIX;
use JSON::PP;

sub stop { print STDERR "report.pl: @_\n"; exit 1 }

$SIG{PIPE} = 'IGNORE';    # a daemon that ends is an error to tell, not the end of this program
my $folder = $ENV{XDG_RUNTIME_DIR} || "/run/user/$>";
my $path = $ENV{SEAM_SOCKET} || "$folder/seam/seam.sock";
my $daemon = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $path)
    or stop("$path: $!; start a daemon with: seamd --socket $path");
$daemon->autoflush(1);
my $json = JSON::PP->new->utf8->canonical;

sub call {
    my ($method, $params) = @_;
    local $SIG{ALRM} = sub { stop("no answer to $method from $path") };
    alarm 5;
    print $daemon $json->encode({ id => 1, method => $method, params => $params }), "\n";
    my $line = <$daemon> // stop("the daemon closed the connection");
    alarm 0;
    my $reply = $json->decode($line);
    stop($reply->{error}{message}) if $reply->{error};
    return $reply->{result};
}

# "connection": the simulation ends when this program does, however it ends.
my $sim = call('sim.create', { scenario => 'live', lifetime => 'connection' })->{sim};

sub model   { my ($key, $text) = @_; call('model.set', { sim => $sim, values => { $key => $text } }) }
sub shows   { my ($screen, $key, $text) = @_; call('screen.set', { sim => $sim, screen => $screen, values => { $key => $text } }) }

sub verdict {
    my $field = call('sim.check', { sim => $sim, fields => [@_] })->{fields}[0];
    my @words = map { $_ // '(none)' } @$field{qw(screen field model shown verdict)};
    printf "%s.%s: model=%s screen=%s -> %s\n", @words;
}

binmode STDOUT, ':encoding(UTF-8)';
model('openCount', 3);
shows('Toolbar', 'openCount', 3);
verdict('Toolbar.openCount');

model('openCount', 5);    # and nobody tells the toolbar
verdict('Toolbar.openCount');

shows('Toolbar', 'openCount', 5);    # the call that was forgotten
verdict('Toolbar.openCount');
