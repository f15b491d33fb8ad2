//! Tests where required files and constants of Ruby lead.

use portolan_testkit::{check_edges, check_targets};

#[test]
fn required_files_are_found_on_load_paths() {
    check_edges(
        "//- lib/app.rb\nrequire 'set'\nrequire 'rack/utils'\nrequire 'app/one'\nrequire_relative 'app/two'\n\
         //- lib/app/one.rb\n//- lib/app/two.rb\n//- other/app/one.rb\n",
        &[
            "lib/app.rb -> lib/app/one.rb runtime",
            "lib/app.rb -> lib/app/two.rb runtime",
            "lib/app.rb -> rack runtime",
            "lib/app.rb -> ruby:set runtime",
        ],
    );
}

#[test]
fn constants_lead_to_the_file_that_is_named_after_them() {
    let files = "//- app/models/user.rb\nclass User < ApplicationRecord\n  def f = Billing::Invoice.new(HTMLThing)\nend\n\
         //- app/models/application_record.rb\nclass ApplicationRecord; end\n\
         //- app/models/billing/invoice.rb\nmodule Billing\n  class Invoice\n  end\nend\n\
         //- app/models/billing/payment.rb\nmodule Billing\n  class Payment\n    Invoice\n  end\nend\n\
         //- app/models/html_thing.rb\nclass HTMLThing; end\n//- test/html_test.rb\nclass HTMLThing; end\n";
    check_edges(
        files,
        &[
            "app/models/billing/payment.rb ~> app/models/billing/invoice.rb runtime",
            "app/models/user.rb ~> app/models/application_record.rb runtime",
            "app/models/user.rb ~> app/models/billing/invoice.rb runtime",
            "app/models/user.rb ~> app/models/html_thing.rb runtime",
        ],
    );
}

#[test]
fn a_constant_of_several_files_leads_nowhere() {
    check_edges("//- a.rb\nclass X; end\n//- b.rb\nclass X; end\n//- c.rb\nX.new\n", &[]);
}

#[test]
fn autoload_leads_to_its_file() {
    let files = "//- lib/m.rb\nmodule M\n  autoload :A, 'm/a'\n  autoload :B\nend\n//- lib/m/a.rb\n//- lib/m/b.rb\nmodule M; class B; end; end\n";
    check_targets(files, "lib/m.rb", "lib/m/a.rb lib/m/b.rb");
}
